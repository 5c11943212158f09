import { readFile, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { convertWithOptions } from 'libreoffice-convert';

export interface ColdConversion {
  readonly inputPath: string;
  readonly pdfPath: string;
  readonly officePath: string;
  readonly temporaryPath: string;
}

// A process of its own, started by office-cold-start.ts; ends with 0 when there is a PDF.
const { inputPath, pdfPath, officePath, temporaryPath } = JSON.parse(process.argv[2] ?? '') as ColdConversion;
const options = {
  fileName: basename(inputPath),
  sofficeBinaryPaths: [officePath],
  tmpOptions: { tmpdir: temporaryPath },
  // The file is there when the office has ended, or not at all.
  asyncOptions: { times: 1 },
};
const pdf = await new Promise<Buffer>((resolve, reject) => {
  readFile(inputPath).then((document) => {
    convertWithOptions(document, 'pdf', undefined, options, (error, result) => (error ? reject(error) : resolve(result)));
  }, reject);
});
await writeFile(pdfPath, pdf);
