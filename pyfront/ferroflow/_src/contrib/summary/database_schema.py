"""The tables of summaries in a SQLite file, as TensorFlow makes them."""

from __future__ import annotations

import sqlite3

APPLICATION_ID = 0xFEEDABEE

_TABLES = {
    "Ids": "id INTEGER PRIMARY KEY",
    "Descriptions": "id INTEGER PRIMARY KEY, description TEXT",
    "Tensors": (
        "rowid INTEGER PRIMARY KEY, series INTEGER, step INTEGER, dtype INTEGER, computed_time REAL, shape TEXT, "
        "data BLOB"
    ),
    "TensorStrings": "rowid INTEGER PRIMARY KEY, tensor_rowid INTEGER NOT NULL, idx INTEGER NOT NULL, data BLOB",
    "Tags": (
        "rowid INTEGER PRIMARY KEY, run_id INTEGER, tag_id INTEGER NOT NULL, inserted_time DOUBLE, tag_name TEXT, "
        "display_name TEXT, plugin_name TEXT, plugin_data BLOB"
    ),
    "Runs": (
        "rowid INTEGER PRIMARY KEY, experiment_id INTEGER, run_id INTEGER NOT NULL, inserted_time REAL, "
        "started_time REAL, finished_time REAL, run_name TEXT"
    ),
    "Experiments": (
        "rowid INTEGER PRIMARY KEY, user_id INTEGER, experiment_id INTEGER NOT NULL, inserted_time REAL, "
        "started_time REAL, is_watching INTEGER, experiment_name TEXT"
    ),
    "Users": ("rowid INTEGER PRIMARY KEY, user_id INTEGER NOT NULL, inserted_time REAL, user_name TEXT, email TEXT"),
    "Graphs": (
        "rowid INTEGER PRIMARY KEY, run_id INTEGER, graph_id INTEGER NOT NULL, inserted_time REAL, graph_def BLOB"
    ),
    "Nodes": (
        "rowid INTEGER PRIMARY KEY, graph_id INTEGER NOT NULL, node_id INTEGER NOT NULL, node_name TEXT, op TEXT, "
        "device TEXT, node_def BLOB"
    ),
    "NodeInputs": (
        "rowid INTEGER PRIMARY KEY, graph_id INTEGER NOT NULL, node_id INTEGER NOT NULL, idx INTEGER NOT NULL, "
        "input_node_id INTEGER NOT NULL, input_node_idx INTEGER, is_control INTEGER"
    ),
}

# (name, table, columns, columns that may be NULL: rows with NULL there are not in the index)
_UNIQUE = (
    ("TensorSeriesStepIndex", "Tensors", "series, step", ("series", "step")),
    ("TensorStringIndex", "TensorStrings", "tensor_rowid, idx", ()),
    ("TagIdIndex", "Tags", "tag_id", ()),
    ("TagRunNameIndex", "Tags", "run_id, tag_name", ("run_id", "tag_name")),
    ("RunIdIndex", "Runs", "run_id", ()),
    ("RunNameIndex", "Runs", "experiment_id, run_name", ("run_name",)),
    ("ExperimentIdIndex", "Experiments", "experiment_id", ()),
    ("ExperimentNameIndex", "Experiments", "user_id, experiment_name", ("experiment_name",)),
    ("UserIdIndex", "Users", "user_id", ()),
    ("UserNameIndex", "Users", "user_name", ("user_name",)),
    ("UserEmailIndex", "Users", "email", ("email",)),
    ("GraphIdIndex", "Graphs", "graph_id", ()),
    ("GraphRunIndex", "Graphs", "run_id", ("run_id",)),
    ("NodeIdIndex", "Nodes", "graph_id, node_id", ()),
    ("NodeNameIndex", "Nodes", "graph_id, node_name", ("node_name",)),
    ("NodeInputsIndex", "NodeInputs", "graph_id, node_id, idx", ()),
)


def make_tables(connection: sqlite3.Connection) -> None:
    """Makes the tables and indices that a file lacks.

    Args:
        connection: of the file.
    """
    # SQLite stores the number as a signed one of 32 bits.
    connection.execute(f"PRAGMA application_id={APPLICATION_ID - (1 << 32)}")
    connection.execute("PRAGMA user_version=0")
    for table, columns in _TABLES.items():
        connection.execute(f"CREATE TABLE IF NOT EXISTS {table} ({columns})")
    for name, table, key, nullable in _UNIQUE:
        where = " AND ".join(f"{column} IS NOT NULL" for column in nullable)
        condition = f" WHERE {where}" if where else ""
        connection.execute(f"CREATE UNIQUE INDEX IF NOT EXISTS {name} ON {table} ({key}){condition}")
