# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
"""Which runs the matrix asks for, each named by the folder of its stats.json."""

import pathlib
import re
import shlex

import yaml

HERE = pathlib.Path(__file__).resolve().parent
HDM = "hdm.ranges=[{{base: 0x100000000, size: 512MiB, ports: [0, 1], granularity: {}}}]"


def load(file=None):
    """The matrix of this file, matrix.yaml if none; `experiments` of it names a file beside it."""
    path = pathlib.Path(file) if file else HERE / "matrix.yaml"
    matrix = yaml.safe_load(path.read_text())
    if isinstance(matrix.get("experiments"), str):
        matrix["experiments"] = yaml.safe_load((path.parent / matrix["experiments"]).read_text())
    return matrix


def point_name(settings):
    """Folder of a run with these settings (matrix.yaml says what one may be), of folders if there are many."""
    fours = ["+".join(settings[i : i + 4]) for i in range(0, len(settings), 4)]
    return "/".join(fours) or "default"


def arguments(settings):
    """The words of the command line that say the same."""
    words = []
    for setting in settings:
        key, value = setting.split("=", 1)
        if key == "seed":
            words += ["--seed", value]
        else:
            words += ["--set", HDM.format(value) if key == "granularity" else setting]
    return words


def options(point):
    """The command-line options of such a folder."""
    return shlex.join(arguments([] if point == "default" else re.split("[+/]", point)))


def run(engine, workload, media, configuration, settings=()):
    return f"{engine}/{workload}-{media}-{configuration}/{point_name(settings)}"


def joined(*lists):
    """Of settings of one key the last, where the first stood."""
    found = {}
    for setting in (setting for settings in lists for setting in settings):
        found[setting.split("=", 1)[0]] = setting
    return list(found.values())


def workloads(matrix):
    return [name for names in matrix["classes"].values() for name in names]


class Machine:
    """A machine of the matrix: the settings of each of its runs."""

    def __init__(self, matrix, name):
        if name not in matrix["machines"]:
            raise SystemExit(f"matrix: machines has no {name}")
        self.matrix, self.name, self.has = matrix, name, matrix["machines"][name]

    def settings(self, configuration, *more):
        """What a run of this configuration has, with lists of other settings laid over it."""
        own = self.has.get("of_configuration", {}).get(configuration, [])
        return joined(self.has["settings"], own, *more)

    def _sized(self, sizes, workload):
        return [f"workload.size={sizes[workload]}"] if workload in sizes else []

    def main(self, workload, configuration, variant=()):
        """A run of the main matrix; `variant`: one of its ranges."""
        return self.settings(configuration, self._sized(self.has["sizes"], workload), variant)

    def by_media(self, workload, configuration, variant=()):
        return self.settings(configuration, self._sized(self.has["by_media_sizes"], workload), variant)

    def pattern(self, configuration, variant=()):
        return self.settings(configuration, self.has["patterns"], variant)

    def collection(self, configuration, variant=()):
        return self.settings(configuration, self.has["collection"], variant)

    def repeats(self, workload, configuration):
        """Each run that repeats the main one: several seeds at the reduced size or the machine's, then another size."""
        part = self.has["repeats"]
        if "sizes" in part:  # of the paper's machine: the main size is a reduced one
            seeds = [self.main(workload, configuration, [f"seed={seed}"]) for seed in part["seeds"] if seed != 1]
            other = self.settings(configuration, self._sized(part["sizes"], workload))
            return [self.main(workload, configuration), *seeds] + ([other] if workload in part["sizes"] else [])
        reduced = joined(self.has.get("of_configuration", {}).get(configuration, []), part["settings"])
        seeds = [joined(reduced, [f"seed={seed}"]) if seed != 1 else reduced for seed in part["seeds"]]
        return [*seeds, self.main(workload, configuration)]

    def kind(self, media):
        return "dram" if media == "dram" else "flash"

    def variants(self, media):
        """Settings of each point of its ranges on a medium."""
        return self.has.get("ranges", {}).get(self.kind(media), [])

    def runs(self):
        found = []
        matrix, has = self.matrix, self.has
        ranged = has.get("range_configurations", {"dram": [], "flash": []})
        for name in workloads(matrix):
            for media, configurations in has["configurations"].items():
                found += [run("model", name, media, c, self.main(name, c)) for c in configurations]
                found += [
                    run("model", name, media, c, self.main(name, c, variant))
                    for variant in self.variants(media)
                    for c in ranged[self.kind(media)]
                ]
            if "repeats" in matrix:
                part = matrix["repeats"]
                for c in part["configurations"]:
                    found += [run("model", name, part["media"], c, point) for point in self.repeats(name, c)]
            if "cosim" in has:
                for media in has["cosim"]["media"]:
                    for c in has["cosim"]["configurations"]:
                        point = self.reduced(name, c)
                        found += [run(self.cosim_engine(), name, media, c, point), run("model", name, media, c, point)]
        part = matrix.get("by_media", {"media": [], "workloads": []})
        for media in part["media"]:
            for name in part["workloads"]:
                for c in part["configurations"]:
                    found.append(run("model", name, media, c, self.by_media(name, c)))
                    if c in ranged[self.kind(media)]:
                        found += [run("model", name, media, c, self.by_media(name, c, v)) for v in self.variants(media)]
        if "patterns" in matrix:
            part = matrix["patterns"]
            for name in part["workloads"]:
                for c in part["configurations"]:
                    points = [self.pattern(c)] + [self.pattern(c, v) for v in self.variants(part["media"])]
                    found += [run("model", name, part["media"], c, point) for point in points]
        if "collection" in matrix:
            part = matrix["collection"]
            for c in part["configurations"]:
                points = [self.collection(c)] + [self.collection(c, v) for v in self.variants(part["media"])]
                found += [run("model", part["workload"], part["media"], c, point) for point in points]
        return found

    def build(self):
        """The command of the build that its RTL needs; none: the default one."""
        return f"build/{pathlib.Path(self.has['rtl']).stem}/bin/cxlgpu" if "rtl" in self.has else None

    def reduced(self, workload, configuration):
        """A run that cosim repeats: at the reduced size, or at the machine's own if that is one."""
        if "sizes" in self.has["repeats"]:
            return self.main(workload, configuration)
        return joined(self.has.get("of_configuration", {}).get(configuration, []), self.has["repeats"]["settings"])

    def cosim_engine(self):
        """Folder of its runs in cosim: a machine may need an RTL of its own."""
        return "cosim" if self.name == "scaled" else f"cosim-{self.name}"


def gain(matrix):
    """Of each workload and configuration: settings of its runs, main size first, then each seed of the reduced one."""
    part = matrix["gain"]
    machine = Machine(matrix, part["machine"])
    found = {}
    for name in workloads(matrix):
        for c in part["configurations"]:
            reduced = joined(part["settings"])
            found[name, c] = [machine.main(name, c, part["settings"])] + [
                joined(reduced, [f"seed={seed}"] if seed != 1 else []) for seed in part["seeds"]
            ]
    return found


class Experiment:
    """One of experiments.yaml."""

    def __init__(self, matrix, name, has):
        self.name, self.has = name, has
        self.machine = Machine(matrix, has.get("machine", "paper"))
        self.workloads, self.configurations = has["workloads"], has["configurations"]
        self.starts = range(has.get("starts", 1))  # of each run of a cell: cycles that the GPU waits before it begins
        self.rows = []
        before = []
        for row in has["rows"]:
            before = joined(before if has.get("cumulative") else [], has.get("settings", []), row.get("set", []))
            self.rows.append({**row, "all": before})

    def settings(self, workload, configuration, row, start=0):
        sizes = self.has.get("sizes", self.machine.has["sizes"])
        size = [f"workload.size={sizes[workload]}"] if workload in sizes else []
        base = ["run.limit_us=1000000000"] if self.has.get("bare") else self.machine.settings(configuration)
        later = [f"gpu.start_cycles={start}"] if start else []
        if start and self.has.get("seeds"):
            later.append(f"seed={start + 1}")
        return joined(base, size, row["all"], row.get("for", {}).get(configuration, []), later)

    def path(self, workload, configuration, row, start=0):
        media = row.get("media", self.has.get("media", "znand"))
        return run("model", workload, media, configuration, self.settings(workload, configuration, row, start))

    def runs(self):
        return [
            self.path(w, c, row, start)
            for row in self.rows
            for w in self.workloads
            for c in self.configurations
            for start in self.starts
        ]


def experiments(matrix):
    return [Experiment(matrix, name, has) for name, has in matrix.get("experiments", {}).items()]


def all_runs(matrix, machines=None):
    """Of all machines, or of those named; gains and experiments go with their machine."""
    found = []
    for name in machines or matrix["machines"]:
        found += Machine(matrix, name).runs()
        if matrix.get("gain", {}).get("machine") == name:
            part = matrix["gain"]
            found += [
                run("model", workload, part["media"], c, settings)
                for (workload, c), points in gain(matrix).items()
                for settings in points
            ]
        for experiment in experiments(matrix):
            if experiment.machine.name == name:
                found += experiment.runs()
    return sorted(set(found))
