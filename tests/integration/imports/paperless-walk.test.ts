// A small library on the way that paperless-walk.full.test.ts goes with a thousand documents.
import { testWhere } from '../../support/conditional-test.ts';
import { canMakePaperlessExports } from '../../support/paperless-export.ts';
import { walk } from '../../support/paperless-walk.ts';

const generatorTest = testWhere(canMakePaperlessExports(), 'there is no generator of Paperless-ngx exports');

generatorTest('a library is imported, used by an app, exported and imported again, and nothing is lost on the way', async (t) => {
  const { documents, differences } = await walk(t, 30);
  t.true(documents > 20);
  t.deepEqual(differences, []);
});
