/** The exit codes of the command. */
export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  notAllSent: 3,
  stopped: 4
} as const

export const signalCodes = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const

export const exitCodesHelp = `Exit codes: 0 done, no failures; 1 could not run, or declined; 2 wrong usage; 3 rows were invalid, changed or rejected, or their outcome is unknown; 4 stopped early, and says why; 129, 130 and 143 stopped by SIGHUP, SIGINT and SIGTERM.`
