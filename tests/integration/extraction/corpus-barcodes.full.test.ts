import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Extractor } from '@sheaf/extraction';
import { type BarcodeRules, type CodedPage, planParts } from '@sheaf/filing/barcodes';
import { constant, silentLogger } from '@sheaf/process';
import test, { type ExecutionContext } from 'ava';
import { type BarcodeCase, barcodeCorpus } from '../../support/barcode-corpus.ts';
import { extractionSettings } from '../../support/extraction.ts';

const corpus = barcodeCorpus();

/** Rules of Paperless-ngx are expressions; those that take a prefix off can be told here. */
const prefixOf = ({ tag_rule: rule }: BarcodeCase): string => (rule?.endsWith('(.*)') === true ? rule.slice(0, -'(.*)'.length) : '');

const rulesOf = (one: BarcodeCase): BarcodeRules => ({
  enabled: true,
  separator: one.separator_text ?? 'PATCHT',
  asnPrefix: one.tag_rule === undefined ? (one.asn_prefix ?? 'ASN') : '',
  labelPrefix: prefixOf(one),
  keepSeparator: one.retain_separators === true,
});

interface Stack {
  readonly pageCount: number;
  readonly pages: readonly CodedPage[];
}

const checkCase = (t: ExecutionContext, { pageCount, pages }: Stack, one: BarcodeCase, name: string): void => {
  const rules = rulesOf(one);
  const parts = planParts(pageCount, pages, rules);
  if (one.separators !== undefined && one.split_by_tag !== true) {
    const sheets = pages.filter(({ texts }) => texts.includes(rules.separator)).map(({ page }) => page);
    const starts = one.split_by_asn === true ? parts.slice(1).map((part) => part.pages[0] ?? 0) : [];
    const numbered = starts.filter((page) => !sheets.includes(page - 1));
    t.deepEqual(
      [...new Set([...sheets, ...numbered])].map((page) => page - 1).toSorted((a, b) => a - b),
      one.separators,
      name,
    );
  }
  if (one.separators_kept !== undefined && one.split_by_tag !== true) {
    const kept = new Set(parts.flatMap((part) => part.pages));
    t.true(
      one.separators_kept.every((at) => kept.has(at + 1)),
      name,
    );
  }
  if (one.documents !== undefined && one.split_by_tag !== true) t.is(parts.length, one.documents, name);
  if ('asn' in one) t.is(parts[0]?.archiveNumber ?? null, one.asn ?? null, name);
  if (one.tags !== undefined)
    t.deepEqual(
      parts.flatMap(({ labels }) => labels.map((path) => path.join('/'))),
      one.tags,
      name,
    );
};

(corpus === undefined ? test.skip : test)('every scan of the corpus has the separators, numbers and labels of its manifest', async (t) => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'sheaf-barcodes-'));
  await using extractor = await Extractor.open(constant(extractionSettings(join(folder.path, 'scratch'))), silentLogger());
  const { signal } = new AbortController();
  for (const { file, path, mime, expect } of corpus ?? []) {
    const found = await extractor.findBarcodes({ path, mimeType: mime, signal });
    if (!found.ok) {
      t.fail(`${file}: ${found.reason}`);
      continue;
    }
    const pages = found.pages.map(({ page, codes }) => ({ page, texts: codes.map(({ text }) => text) }));
    for (const one of expect.cases) checkCase(t, { pageCount: found.pageCount, pages }, one, `${file}: ${one.case}`);
  }
});
