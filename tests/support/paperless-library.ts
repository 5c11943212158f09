import { savePages } from '@sheaf/documents/pages';
import { indexDocument } from '@sheaf/search';
import { z } from 'zod';
import { PaperlessClient } from './paperless.ts';
import type { RunningApi } from './running-api.ts';

/** Documents A, B and C of which all facts differ, made once; `numbers` are those of the interface. */
export interface PaperlessLibrary {
  readonly client: PaperlessClient;
  readonly next: PaperlessClient;
  readonly ids: Readonly<Record<'A' | 'B' | 'C', number>>;
  readonly red: number;
  readonly blue: number;
  readonly bank: number;
  readonly letter: number;
}

const addText = async ({ database }: RunningApi, id: string, content: string): Promise<void> => {
  await savePages(database.db, id, [{ page: 1, content, confidence: 1, origin: 'text' }]);
  await indexDocument(database.db, id);
};

/** Made once for each test file. */
export const givenPaperlessLibrary = async (api: RunningApi): Promise<PaperlessLibrary> => {
  const client = await PaperlessClient.signIn(api.anyone, 'admin');
  const next = await PaperlessClient.signIn(api.anyone, 'admin', 10);
  const red = await client.create('tags', { name: 'Red', color: '#ff0000', is_inbox_tag: false, match: '', matching_algorithm: 6 });
  const blue = await client.create('tags', { name: 'Blue', color: '#0000ff', parent: red });
  const bank = await client.create('correspondents', { name: 'Bank', matching_algorithm: 0, match: '', is_insensitive: true });
  const letter = await client.create('document_types', { name: 'Letter' });
  const given = {
    A: [
      ['title', 'Alpha 100%'],
      ['created', '2024-01-31'],
      ['tags', String(red)],
      ['correspondent', String(bank)],
      ['archive_serial_number', '7'],
    ],
    B: [
      ['title', 'Beta_x'],
      ['created', '2025-02-01'],
      ['tags', String(blue)],
      ['document_type', String(letter)],
    ],
    C: [['title', 'Gamma']],
  } as const;
  const ids = { A: 0, B: 0, C: 0 };
  for (const name of ['A', 'B', 'C'] as const) {
    const { body } = await client.upload(`${name}.txt`, `paper ${name}`, given[name]);
    await addText(api, z.uuid().parse(body), `paper ${name} of the archive ${'word '.repeat(200)}`);
    ids[name] = await client.numberOf(given[name][0][1]);
  }
  return { client, next, ids, red, blue, bank, letter };
};
