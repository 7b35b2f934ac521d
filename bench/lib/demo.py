"""`endonym serve --demo` in a folder of its own, and the links that it prints."""

import os
import re
import subprocess

from . import servers


class Demo:
    def __init__(self, binary, folder):
        port = servers.free_port()
        settings = servers.environment(data_dir=os.path.join(folder, "data"))
        printed = os.path.join(folder, "printed")
        with open(printed, "wb") as output:
            self.process = subprocess.Popen(
                # Before the program runs, it changes to the folder.
                [os.path.abspath(binary), "serve", "--demo"],
                env=settings | {"ENDONYM_LISTEN": f"127.0.0.1:{port}"},
                cwd=folder, stdout=output, stderr=servers.log("demo"), start_new_session=True,
            )
        self.base = f"http://127.0.0.1:{port}"
        self.console = self.person = None
        servers.wait_for(lambda: self.has_printed(printed), self.process, "endonym serve --demo")

    def has_printed(self, path):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        self.console, self.person = link(text, "Open the console"), link(text, "Record your name")
        return self.console and self.person

    def stop(self):
        servers.stop(self.process)


def link(text, what):
    """The link below this line, once it is complete."""
    found = re.search(rf"^{what} as .*\n\s+(http://\S+/sign-in/link/\S+)\n", text, re.MULTILINE)
    return found[1] if found else None
