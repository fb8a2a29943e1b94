"""A kernel whose main thread is held up between its control channel and its shell.

Run as a kernel's program: it goes on once a first request on the control channel was handled.
"""

import threading
from typing import Any

from ipykernel.kernelapp import IPKernelApp
from zmq.eventloop.zmqstream import ZMQStream

from msgbook.kernel.waking_kernel import ChatKernel


class HoldingStream(ZMQStream):
    handled = threading.Event()

    def on_recv(self, *args: Any, **kwargs: Any) -> None:
        super().on_recv(*args, **kwargs)
        self.handled.wait(300)


class SlowKernel(ChatKernel):
    async def process_control(self, msg: Any) -> None:
        await super().process_control(msg)
        HoldingStream.handled.set()


if __name__ == "__main__":
    app = IPKernelApp.instance(kernel_class=SlowKernel)
    app.initialize()
    app.kernel.control_stream.__class__ = HoldingStream
    app.start()
