import { Extractor } from '@sheaf/extraction';
import { constant, silentLogger } from '@sheaf/process';
import { makeIllustratedOffice } from '@sheaf/testkit';
import sharp from 'sharp';
import { corpusPath } from '../support/corpus.ts';
import { extractionSettings, readAll } from '../support/extraction.ts';

const f = process.argv[2] ?? '';
const { data, info } = await sharp(corpusPath('ocr', f))
  .autoOrient()
  .flatten({ background: 'white' })
  .toColourspace('b-w')
  .jpeg({ quality: 92 })
  .toBuffer({ resolveWithObject: true });
const files = await makeIllustratedOffice('/tmp/zzo', 'The enclosed copy is part of this letter.', {
  jpeg: data,
  width: info.width,
  height: info.height,
  dpi: info.width / 6.7,
});
await using extractor = await Extractor.open(constant({ ...extractionSettings('/tmp/zzs'), readers: 2 }), silentLogger());
const t = performance.now();
const r = await readAll(extractor, {
  path: files?.get('pptx') ?? '',
  mimeType: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  language: process.argv[3] ?? 'eng',
});
console.log(performance.now() - t, r.ok ? r.text.slice(0, 300) : r);
