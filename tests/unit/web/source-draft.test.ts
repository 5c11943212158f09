import { INTERFACE } from '@sheaf/contract/interface';
import { draftOf, emptyDraft, type Source, type SourceDraft, toCreateBody, toTestBody, toUpdateBody } from '@sheaf/web/testing';
import test from 'ava';

const WEBDAV: SourceDraft = { ...emptyDraft, name: 'Cloud', url: ' https://dav.example.org/ ', username: 'ada', password: 'secret' };
const S3: SourceDraft = {
  ...emptyDraft,
  type: 's3',
  name: 'Bucket',
  bucket: 'papers',
  region: 'eu-central-1',
  username: 'AKIA',
  password: 'secret',
  patterns: '*.pdf\n\n *.txt ',
  onRemoteDelete: 'delete',
};
const FOLDER: SourceDraft = { ...emptyDraft, type: 'local_folder', name: 'Folder', path: '/srv/papers', username: 'nobody' };

const ID = '00000000-0000-7000-8000-000000000001';
const source = (fields: Partial<Source>): Source => ({
  id: ID,
  name: 'Cloud',
  type: 'webdav',
  url: 'https://dav.example.org/',
  status: 'active',
  last_sync: null,
  next_sync: null,
  document_count: 0,
  owner_id: ID,
  sync_interval: 3_600,
  recursive: true,
  file_patterns: ['*'],
  settings: {},
  username: 'ada',
  has_secret: true,
  enabled: true,
  last_error: null,
  last_error_code: null,
  created_at: '2026-01-01T00:00:00Z',
  updated_at: '2026-01-01T00:00:00Z',
  ...fields,
});

test('the service understands what the form makes of each kind of source, new, changed or tried', (t) => {
  for (const draft of [WEBDAV, S3, FOLDER]) {
    t.true(INTERFACE['post /api/sources'].body.safeParse(toCreateBody(draft)).success, `new ${draft.type}`);
    t.true(INTERFACE['patch /api/sources/{id}'].body.safeParse(toUpdateBody(draft)).success, `changed ${draft.type}`);
    for (const id of [undefined, ID])
      t.true(INTERFACE['post /api/sources/test'].body.safeParse(toTestBody(draft, id)).success, `tried ${draft.type}`);
  }
  t.like(toCreateBody(S3), { file_patterns: ['*.pdf', '*.txt'], settings: { bucket: 'papers', on_remote_delete: 'delete' } });
  t.false('username' in toCreateBody(FOLDER));
});

test('a source that is shown and kept stays what it was, with its password', (t) => {
  for (const shown of [
    source({}),
    source({ settings: { barcodes: { enabled: true, label_prefix: 'LABEL:' } } }),
    source({ type: 's3', url: null, settings: { bucket: 'papers', force_path_style: true, on_remote_delete: 'delete' } }),
    source({ type: 'local_folder', url: null, username: null, settings: { path: '/srv' }, recursive: false, enabled: false }),
  ]) {
    const body = toUpdateBody(draftOf(shown));
    t.like(body, { name: shown.name, recursive: shown.recursive, enabled: shown.enabled, settings: shown.settings });
    t.false('password' in body);
  }
});

test('what barcodes mean for a source is sent as far as it is its own', (t) => {
  const draft = draftOf(source({ settings: { barcodes: { separator: '', keep_separator: true } } }));
  t.deepEqual(toUpdateBody({ ...draft, barcodes: { ...draft.barcodes, asn_prefix: 'NO' } }).settings, {
    barcodes: { separator: '', keep_separator: true, asn_prefix: 'NO' },
  });
  t.deepEqual(toUpdateBody({ ...draft, barcodes: { enabled: undefined } }).settings, {});
});

test('a name that is taken out is taken from the source, with its password', (t) => {
  const draft = { ...draftOf(source({})), username: ' ' };
  t.like(toUpdateBody(draft), { username: null, password: null });
  t.like(toTestBody(draft, ID), { username: null, password: null });
  t.false('username' in toTestBody(draft, undefined), 'a new one has none to take out');
});
