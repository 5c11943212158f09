import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type Message, readMessage } from '@sheaf/imports/testing';
import { testWhere } from '../../support/conditional-test.ts';
import { corpusPath, mailCorpus } from '../../support/corpus.ts';

const corpus = mailCorpus();
const plain = (text: string): string => text.replaceAll(/\s+/g, ' ');
const hashesOf = ({ attachments }: Message): Set<string> =>
  new Set(attachments.map(({ bytes }) => createHash('sha256').update(bytes).digest('hex')));

testWhere(corpus !== undefined, 'there are no messages in the corpus')('messages of many programs say what they say there', async (t) => {
  for (const { file, expect } of corpus ?? []) {
    const message = await readMessage(readFileSync(corpusPath('mail', file))).catch(() => undefined);
    if (expect.outcome === 'either') continue;
    if (message === undefined) {
      t.fail(`${file} cannot be read`);
      continue;
    }
    t.is(message.subject, expect.subject ?? '', file);
    if (typeof expect.date_utc === 'string') t.is(message.date?.getTime(), new Date(expect.date_utc).getTime(), file);
    if (typeof expect.body_contains === 'string') t.true(plain(message.text).includes(plain(expect.body_contains)), file);
    const hashes = hashesOf(message);
    for (const { name, inline, sha256 } of expect.attachments ?? [])
      if (name !== null && inline !== true && sha256 !== undefined) t.true(hashes.has(sha256), `${file}: ${name}`);
  }
});
