# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
"""Which runs the matrix asks for, each named by the folder of its stats.json."""


def point_name(settings):
    """Folder of a run with these settings (key=value; `seed=N` is the run's seed)."""
    return "+".join(settings) or "default"


def options(point):
    """The command-line options of such a folder."""
    words = []
    for setting in [] if point == "default" else point.split("+"):
        words += ["--seed", setting[5:]] if setting.startswith("seed=") else ["--set", setting]
    return " ".join(words)


def run(engine, workload, media, configuration, settings=()):
    return f"{engine}/{workload}-{media}-{configuration}/{point_name(settings)}"


def workloads(matrix):
    return [name for names in matrix["classes"].values() for name in names]


def main_settings(matrix, workload):
    """Settings of a workload's runs in the main matrix."""
    return [f"workload.size={matrix['sizes'][workload]}"] + matrix["settings"]


def media_settings(matrix, workload):
    """Settings of a workload's runs on all media."""
    return [f"workload.size={matrix['by_media']['sizes'][workload]}"] + matrix["settings"]


def repeats(matrix, workload):
    """Settings of each run that repeats the main one: at the reduced size with several seeds, and itself."""
    return [[f"seed={seed}"] if seed != 1 else [] for seed in matrix["repeats"]["seeds"]] + [
        main_settings(matrix, workload)
    ]


def all_runs(matrix):
    runs = []
    for name in workloads(matrix):
        if name not in matrix["sizes"]:
            raise SystemExit(f"matrix.yaml: sizes has none for {name}")
        main = main_settings(matrix, name)
        for media in matrix["media"]:
            runs += [run("model", name, media, c, main) for c in matrix["configurations"]]
        for media in matrix["cosim"]["media"]:
            for c in matrix["cosim"]["configurations"]:
                runs += [run("cosim", name, media, c), run("model", name, media, c)]
        again = matrix["repeats"]
        runs += [
            run("model", name, again["media"], c, settings)
            for c in again["configurations"]
            for settings in repeats(matrix, name)
        ]
    part = matrix["by_media"]
    runs += [
        run("model", name, media, c, media_settings(matrix, name))
        for name in part["workloads"]
        for media in part["media"]
        for c in part["configurations"]
    ]
    part = matrix["patterns"]
    runs += [
        run("model", name, part["media"], c, part["settings"])
        for name in part["workloads"]
        for c in part["configurations"]
    ]
    part = matrix["collection"]
    runs += [run("model", part["workload"], part["media"], c, part["settings"]) for c in part["configurations"]]
    return sorted(set(runs))
