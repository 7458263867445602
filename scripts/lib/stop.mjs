/** A reason to stop that is already one clear sentence for the reader: no stack is shown with it. */
export class Stop extends Error {
  name = 'Stop';
}

/** Runs `main`; a `Stop` ends the process with its sentence, anything else is a bug and keeps its stack. */
export async function runMain(main) {
  try {
    process.exitCode = (await main()) ?? 0;
  } catch (error) {
    console.error(error instanceof Stop ? `\n${error.message}` : error);
    process.exitCode = 1;
  }
}
