import { readFile, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { convertWithOptions } from 'libreoffice-convert';

export interface ColdConversion {
  readonly inputPath: string;
  readonly outPath: string;
  readonly target: string;
  /** Where the script lies that starts the office, and the script. It is written here: a script of a process that starts others is at times "busy". */
  readonly starterPath: string;
  readonly starter: string;
  readonly temporaryPath: string;
  /** What to end with when the office went through the document and made nothing of it. Any other end says little about the document. */
  readonly noFileExitCode: number;
}

/** What LibreOffice ends with, in newer versions, when it could not open the document. It is 0 in others, and there is no file. */
const NOT_CONVERTED = 1;

/** What `convertWithOptions` fails with: what starting the office did, or what reading the file that it should have made. */
interface Failure {
  readonly code?: unknown;
  readonly syscall?: string;
}

// A process of its own, started by office-cold-start.ts; ends with 0 when it is made.
const task = JSON.parse(process.argv[2] ?? '') as ColdConversion;
const options = {
  fileName: basename(task.inputPath),
  sofficeBinaryPaths: [task.starterPath],
  tmpOptions: { tmpdir: task.temporaryPath },
  // The file is there when the office has ended, or not at all.
  asyncOptions: { times: 1 },
};
await writeFile(task.starterPath, task.starter, { flag: 'wx', mode: 0o700 });
const document = await readFile(task.inputPath);
try {
  const made = await new Promise<Buffer>((resolve, reject) => {
    convertWithOptions(document, task.target, undefined, options, (error, result) => (error ? reject(error) : resolve(result)));
  });
  await writeFile(task.outPath, made);
} catch (error) {
  const { code, syscall } = error as Failure;
  if (code !== NOT_CONVERTED && !(code === 'ENOENT' && syscall === 'open')) throw error;
  process.exitCode = task.noFileExitCode;
}
