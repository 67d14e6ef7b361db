import tempfile
import threading
import unittest
from typing import Any, Dict, List, Optional

from agent_control_plane import AgentRuntime, DesiredState, RuntimeEvent
from played_service import PlayedService


class RuntimeCase(unittest.TestCase):
    def setUp(self) -> None:
        self.service = PlayedService()
        self.addCleanup(self.service.close)
        self.state_dir = tempfile.mkdtemp()
        self.applied: List[DesiredState] = []
        self.events: List[RuntimeEvent] = []

    def apply(self, desired: DesiredState) -> Any:
        self.applied.append(desired)
        return {"replicas": desired.replicas}

    def start(self, apply: Any = None, key: Any = "k", **options: Any) -> AgentRuntime:
        self.runtime = AgentRuntime(
            self.service.url,
            key,
            apply or self.apply,
            state_dir=self.state_dir,
            on_event=self.events.append,
            **options,
        )
        self.error: Optional[BaseException] = None

        def run() -> None:
            try:
                self.runtime.run()
            except BaseException as error:
                self.error = error

        self.thread = threading.Thread(target=run, daemon=True)
        self.thread.start()
        return self.runtime

    def stop(self) -> None:
        self.runtime.stop()
        self.ended()

    def ended(self) -> None:
        self.thread.join(30)
        self.assertFalse(self.thread.is_alive())

    def acknowledged(self) -> List[Dict[str, Any]]:
        return [it.body for it in self.service.calls("/acknowledge")]
