/** Texts as people write durations, and their milliseconds: for the variables of the client and the options of the programs. */
export const durations: Readonly<Record<string, number>> = {
  "5000ms": 5000,
  "5s": 5000,
  "5 s": 5000,
  "1.5s": 1500,
  "5sec": 5000,
  " 5 sec ": 5000,
  "5min": 300_000,
  "5  min": 300_000,
  "2h": 7_200_000,
  "1 d": 86_400_000,
  "250 millis": 250,
  "1 second": 1000,
  " 30 seconds ": 30_000,
  "30seconds": 30_000,
  "1 minute": 60_000,
  "0.5 hours": 1_800_000,
  "1 day": 86_400_000,
  "2 weeks": 1_209_600_000
}

/** `m` can be minutes, months or milliseconds, and a number alone seconds or milliseconds. */
export const noDurations: ReadonlyArray<string> = [
  "30",
  " 5000 ",
  "5m",
  "5 m",
  "PT5S",
  "P1D",
  "5S",
  "5 Min",
  "5 secs",
  "-5 s",
  "1e3 s",
  ".5 s",
  "1,5 s",
  "5 s 3 ms",
  "s",
  "1 s; 2 s",
  "NaN",
  "Infinity",
  "soon"
]
