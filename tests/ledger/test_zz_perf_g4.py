import time, pytest, threading, msgpack
from tests.ledger.conftest import *
from echomq_admin.ledger import copying
pytestmark = pytest.mark.django_db(transaction=True)
def test_perf(client, prod, stream):
    jobs = msgpack.packb([[b"JOB0KHTOWnGLuA", b"requeued", 3, 0, False, False, b"smtp timeout", False]])
    with client.pipeline(transaction=False) as pipe:
        for at in range(10000):
            pipe.xadd(AUDIT, {"op":"requeue","op_id":f"{at:032x}","actor":"o","t":5,"n":1,"jobs":jobs})
        pipe.execute()
    import cProfile, pstats
    t=time.monotonic(); p=cProfile.Profile()
    import os
    if os.environ.get("PROF"): p.enable()
    step=copying.Step(0,True)
    while step.more: step=copying.copy_piece(prod,Q,step.count)
    if os.environ.get("PROF"): p.disable(); pstats.Stats(p).sort_stats("cumtime").print_stats(35)
    print("RATE", 10000/(time.monotonic()-t))
