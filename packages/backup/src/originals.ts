import { createReadStream } from 'node:fs';
import { linesOf } from './lines.ts';

/** An original of the snapshot. */
export interface Original {
  readonly sha256: string;
  /** As its row says. */
  readonly sizeBytes: number;
  /** Whether it is a document of which a PDF rendition is made. */
  readonly hasPreview: boolean;
  readonly documentIds: readonly string[];
}

/** The originals of the list that `dumpDatabase` wrote. */
export const readOriginals = async function* (path: string): AsyncGenerator<Original> {
  for await (const line of linesOf(createReadStream(path))) {
    const [sha256 = '', size, isOffice, ids = ''] = line.split(' ');
    yield { sha256, sizeBytes: Number(size), hasPreview: isOffice === 't', documentIds: ids.split(',') };
  }
};
