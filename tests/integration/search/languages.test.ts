import { openLibrary, testWithDatabases } from './library.ts';

const test = testWithDatabases();

interface Case {
  readonly language: string;
  readonly text: string;
  /** All of these find it. */
  readonly found: readonly string[];
  readonly missed?: readonly string[];
}

const CASES: readonly Case[] = [
  {
    language: 'deu',
    text: 'Die Häuser der Straße und die Rechnungen für Bücher, eine Übergabe, größere Änderungen, Verträge wurden unterschrieben',
    found: [
      'Haus',
      'Häuser',
      'haeuser'.replace('ae', 'a'),
      'HÄUSERN',
      'Strasse',
      'Straßen',
      'Rechnung',
      'Buch',
      'bucher',
      'Übergaben',
      'ubergabe',
      'Änderung',
      'anderungen',
      'größer',
      'grosser',
      'Vertrag',
      'vertrage',
      '"Häuser der Straße"',
      '"hauser der strasse"',
      'Rechnung für Bücher',
      'rechnung bucher',
      'für Vertrag',
      'rechnung fur bucher',
    ],
    missed: ['Hausrat', 'Vertreter'],
  },
  {
    language: 'fra',
    text: 'Les factures annulées, un contrat annulé, les élèves étaient à l’école, des intérêts élevés, la première réunion générale',
    found: [
      'facture',
      'annulé',
      'annulee',
      'annulée',
      'ANNULÉS',
      'annule',
      'contrats',
      'élève',
      'eleve',
      'école',
      'ecoles',
      'intérêt',
      'interets',
      'élevé',
      'réunions',
      'reunion générale',
      'generale',
      'premiere',
      'à école',
      '"factures annulées"',
      '"factures annulees"',
    ],
  },
  {
    language: 'eng',
    text: 'The houses were inspected; resumés and naïve cafés of companies',
    found: ['house', 'inspecting', 'resume', 'résumé', 'cafe', 'CAFÉ', 'naive', 'company', 'the company', '"houses were inspected"'],
  },
  {
    language: 'spa',
    text: 'Las facturas del año pasado y la reunión de los niños españoles',
    found: ['factura', 'año', 'ano', 'reuniones', 'reunion', 'niño', 'ninos', 'español', 'espanoles'],
  },
];

for (const { language, text, found, missed = [] } of CASES)
  test(`a document read as ${language} is found by its forms, accents typed or not`, async (t) => {
    const { put, titles } = await openLibrary(t.context.db);
    await put({ title: 'x1', language, pages: [text] });
    await put({ title: 'x2', language: language === 'eng' ? 'deu' : 'eng', pages: ['something else altogether'] });
    const wrong: string[] = [];
    for (const q of found) if (!(await titles(q)).includes('x1')) wrong.push(q);
    t.deepEqual(wrong, [], 'not found by these');
    for (const q of missed) t.deepEqual(await titles(q), [], q);
  });

test('one query finds documents of all languages in use', async (t) => {
  const { put, titles } = await openLibrary(t.context.db);
  await put({ title: 'x1', language: 'deu', pages: ['Die Garantien'] });
  await put({ title: 'x2', language: 'fra', pages: ['Des garanties'] });
  await put({ title: 'x3', language: 'eng', pages: ['Garanti and warranties'] });
  t.true((await titles('Garantie')).includes('x1'));
  t.true((await titles('garantie')).includes('x2'));
  t.deepEqual((await titles('garant*')).toSorted(), ['x1', 'x2', 'x3']);
});
