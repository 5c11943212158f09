import { SETTINGS_BY_TYPE } from '@sheaf/contract/sources';
import test from 'ava';

const REQUIRED = { webdav: {}, s3: { bucket: 'scans' }, local_folder: { path: '/srv/scans' } } as const;

test('a source of each type takes rules for barcodes, and none that there is not', (t) => {
  for (const type of ['webdav', 's3', 'local_folder'] as const) {
    const accepts = (barcodes: unknown): boolean => SETTINGS_BY_TYPE[type].safeParse({ ...REQUIRED[type], barcodes }).success;
    t.true(accepts({}), type);
    t.true(accepts({ enabled: true, asn_prefix: 'NR', label_prefix: '' }), type);
    for (const wrong of [{ enabled: 'yes' }, { asn_prefix: 'x'.repeat(101) }, { label_prefix: 'a\nb' }, { unknown: true }, null])
      t.false(accepts(wrong), `${type} ${JSON.stringify(wrong)}`);
  }
});
