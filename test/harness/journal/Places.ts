/**
 * What people write as the place of a journal, and what it is: the same for every program. A text that is refused is a
 * mistake, or would be another journal for each folder or spelling.
 */

/** What a text is on every platform. `{folder}` is a folder of the test. */
export const places: ReadonlyArray<
  readonly ["file" | "memory" | "postgres" | "refused", ReadonlyArray<string>]
> = [
  [
    "file",
    [
      "journal.sqlite",
      " journal.sqlite",
      "journal.sqlite\n",
      "./journal.sqlite",
      "a/b/journal.sqlite",
      "{folder}/journal.sqlite",
      "{folder}/a b/journal.sqlite\r\n",
      "it's.sqlite",
      "memory.sqlite",
      "memory/journal.sqlite",
      "postgres.sqlite",
      "a~b$c.sqlite",
      "100%.sqlite"
    ]
  ],
  ["memory", ["memory", "memory ", "\tmemory\n"]],
  [
    "postgres",
    [
      "postgres://user:s3cret@db.example/app",
      "postgresql://user:s3cret@db.example/app",
      " postgres://user:s3cret@db.example/app\n"
    ]
  ],
  [
    "refused",
    [
      "",
      " ",
      '"postgres://user:s3cret@db.example/app"',
      "'postgres://user:s3cret@db.example/app'",
      "`postgres://user:s3cret@db.example/app`",
      '"{folder}/journal.sqlite"',
      "{folder}/journal.sqlite'",
      "postgresql+psycopg2://user:s3cret@db.example/app",
      "Postgres://user:s3cret@db.example/app",
      "mysql://user:s3cret@db.example/app",
      "https://user:s3cret@db.example/app",
      "file:///s3cret/journal.sqlite",
      "url=postgres://user:s3cret@db.example/app",
      "postgres:/user:s3cret@db.example/app",
      "postgresql:user:s3cret@db.example/app",
      "POSTGRES:s3cret",
      "Postgres",
      "postgresql",
      "host=db.example user=u password=s3cret",
      "host=db.example PASSWORD=s3cret",
      "file:s3cret.sqlite",
      "file:/s3cret/journal.sqlite",
      "jdbc:postgresql:s3cret",
      "JDBC:sqlite:s3cret",
      "sqlite:s3cret.sqlite",
      "SQLite:s3cret.sqlite",
      "~/s3cret.sqlite",
      "~s3cret/journal.sqlite",
      "$HOME/s3cret.sqlite",
      "${HOME}/s3cret.sqlite",
      "%LOCALAPPDATA%\\s3cret.sqlite",
      ":memory:",
      "Memory",
      "MEMORY",
      ":memory",
      "s3cret.sqlite\njournal.sqlite",
      "s3cret\0.sqlite"
    ]
  ]
]

export const platforms = ["linux", "darwin", "win32"] as const

const end = "messaging-topup/journal.sqlite"
const windowsEnd = "messaging-topup\\journal.sqlite"

/** Where the journal of a user is, on each of the platforms; undefined if this user has no home folder. */
export const homes: ReadonlyArray<
  readonly [
    environment: Readonly<Record<string, string>>,
    linux: string | undefined,
    darwin: string | undefined,
    win32: string | undefined
  ]
> = [
  [
    { HOME: "/home/u" },
    `/home/u/.local/state/${end}`,
    `/home/u/Library/Application Support/${end}`,
    `\\home\\u\\AppData\\Local\\${windowsEnd}`
  ],
  [
    { HOME: "/home/u", MESSAGING_TOPUP_JOURNAL: "", XDG_STATE_HOME: "", LOCALAPPDATA: "" },
    `/home/u/.local/state/${end}`,
    `/home/u/Library/Application Support/${end}`,
    `\\home\\u\\AppData\\Local\\${windowsEnd}`
  ],
  // As their specifications say, a relative one is ignored.
  [
    { HOME: "/home/u", XDG_STATE_HOME: "state", LOCALAPPDATA: "Local" },
    `/home/u/.local/state/${end}`,
    `/home/u/Library/Application Support/${end}`,
    `\\home\\u\\AppData\\Local\\${windowsEnd}`
  ],
  [
    { HOME: "/home/u", XDG_STATE_HOME: "/state", LOCALAPPDATA: "C:\\Local" },
    `/state/${end}`,
    `/home/u/Library/Application Support/${end}`,
    `C:\\Local\\${windowsEnd}`
  ],
  [
    { HOME: "", XDG_STATE_HOME: "/state", LOCALAPPDATA: "C:\\Local" },
    `/state/${end}`,
    undefined,
    `C:\\Local\\${windowsEnd}`
  ],
  [{ HOME: "" }, undefined, undefined, undefined],
  [{ HOME: "home" }, undefined, undefined, undefined],
  [{ HOME: ".", XDG_STATE_HOME: "./state" }, undefined, undefined, undefined],
  [{ HOME: "C:\\Users\\u" }, undefined, undefined, `C:\\Users\\u\\AppData\\Local\\${windowsEnd}`]
]
