// A thousand documents from Paperless-ngx to Sheaf, by an app, and on to another Sheaf.
import { testWhere } from '../../support/conditional-test.ts';
import { canMakePaperlessExports } from '../../support/paperless-export.ts';
import { walk } from '../../support/paperless-walk.ts';

const generatorTest = testWhere(canMakePaperlessExports(), 'there is no generator of Paperless-ngx exports');

generatorTest(
  'a thousand documents are imported, used by an app, exported and imported again, and nothing is lost on the way',
  async (t) => {
    t.timeout(600_000);
    const { documents, durations, left, differences } = await walk(t, 1_000);
    t.log(JSON.stringify({ documents, durations, left }));
    t.true(documents > 900);
    t.deepEqual(differences, []);
  },
);
