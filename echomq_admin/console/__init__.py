"""Every page and fragment. Thin views: read the query, ask one function below, render."""
