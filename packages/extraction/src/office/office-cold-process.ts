import { readFile, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { convertWithOptions } from 'libreoffice-convert';

export interface ColdConversion {
  readonly inputPath: string;
  readonly outPath: string;
  readonly target: string;
  readonly officePath: string;
  readonly temporaryPath: string;
}

// A process of its own, started by office-cold-start.ts; ends with 0 when it is made.
const { inputPath, outPath, target, officePath, temporaryPath } = JSON.parse(process.argv[2] ?? '') as ColdConversion;
const options = {
  fileName: basename(inputPath),
  sofficeBinaryPaths: [officePath],
  tmpOptions: { tmpdir: temporaryPath },
  // The file is there when the office has ended, or not at all.
  asyncOptions: { times: 1 },
};
const made = await new Promise<Buffer>((resolve, reject) => {
  readFile(inputPath).then((document) => {
    convertWithOptions(document, target, undefined, options, (error, result) => (error ? reject(error) : resolve(result)));
  }, reject);
});
await writeFile(outPath, made);
