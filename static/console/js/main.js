// Every page works without this; with it, pages read themselves anew and nothing is lost on the way.
import "./morph.js";
import "./failures.js";
import "./clock.js";
import "./since.js";
import "./zone.js";
import "./ticks.js";
import "./press.js";
import "./preview.js";
import "./menus.js";
import "./dialogs.js";
import "./fate.js";
import "./find.js";
import "./copy.js";
import "./draft.js";
import "./range.js";
import "./keys.js";
import "./live.js";
