"""Which runs the matrix asks for, and where each one's stats.json lies."""
from collections import namedtuple

Run = namedtuple("Run", "path")


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
    return Run(f"{engine}/{workload}-{media}-{configuration}/{point_name(settings)}")


def workloads(matrix):
    return [name for names in matrix["classes"].values() for name in names]


def repeats(matrix):
    """(workload, settings) of the seeds and sizes beside the default."""
    again = matrix["repeats"]
    for name in workloads(matrix):
        for seed in again["seeds"]:
            for size in [None, again["sizes"].get(name)]:
                settings = [f"workload.size={size}"] if size else []
                yield name, settings + ([f"seed={seed}"] if seed != 1 else [])
            if name not in again["sizes"]:
                raise SystemExit(f"matrix.yaml: repeats.sizes has none for {name}")


def all_runs(matrix):
    runs = []
    for name in workloads(matrix):
        for media in matrix["media"]:
            runs += [run("model", name, media, c) for c in matrix["configurations"]]
        for media in matrix["cosim"]["media"]:
            runs += [run("cosim", name, media, c) for c in matrix["cosim"]["configurations"]]
    part = matrix["by_media"]
    runs += [run("model", name, media, c) for name in part["workloads"] for media in part["media"]
             for c in part["configurations"]]
    part = matrix["patterns"]
    runs += [run("model", name, part["media"], c, part["settings"]) for name in part["workloads"]
             for c in part["configurations"]]
    part = matrix["collection"]
    runs += [run("model", part["workload"], part["media"], c, part["settings"]) for c in part["configurations"]]
    for name, settings in repeats(matrix):
        runs += [run("model", name, matrix["repeats"]["media"], c, settings)
                 for c in matrix["repeats"]["configurations"]]
    return sorted(set(runs))
