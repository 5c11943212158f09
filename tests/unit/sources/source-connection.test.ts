import { Secret } from '@sheaf/contract';
import { SourceError, toDriverSettings } from '@sheaf/sources';
import test from 'ava';

const secret = new Secret('a secret');
const ROOTS = ['/srv/papers'];
const s3 = { type: 's3', url: null, username: 'AKIA', settings: { bucket: 'papers' }, isRecursive: true } as const;
const webdav = { type: 'webdav', url: 'https://dav.example.org/', username: null, settings: {}, isRecursive: false } as const;

test('a bucket of Amazon has its name in the host, and one of another store in the path, unless something else is said', (t) => {
  t.like(toDriverSettings(s3, secret, ROOTS), { region: 'us-east-1', forcePathStyle: false, accessKeyId: 'AKIA', recursive: true });
  const elsewhere = { bucket: 'papers', endpoint_url: 'https://s3.example.org', prefix: 'a/', region: 'eu' };
  t.like(toDriverSettings({ ...s3, settings: elsewhere }, secret, ROOTS), {
    region: 'eu',
    forcePathStyle: true,
    endpointUrl: 'https://s3.example.org',
    prefix: 'a/',
  });
  const said = { ...elsewhere, force_path_style: false };
  t.like(toDriverSettings({ ...s3, settings: said }, secret, ROOTS), { forcePathStyle: false });
});

test('a webdav source may have no credentials', (t) => {
  t.like(toDriverSettings(webdav, undefined, ROOTS), {
    url: 'https://dav.example.org/',
    username: undefined,
    password: undefined,
    recursive: false,
  });
  t.like(toDriverSettings({ ...webdav, username: 'ada' }, secret, ROOTS), { username: 'ada', password: secret });
});

test('a folder of this machine is read inside the roots of the configuration', (t) => {
  const folder = { type: 'local_folder', url: null, username: null, settings: { path: '/srv/papers/in' }, isRecursive: true } as const;
  t.deepEqual(toDriverSettings(folder, undefined, ROOTS), {
    type: 'local_folder',
    path: '/srv/papers/in',
    roots: ROOTS,
    recursive: true,
  });
  t.throws(() => toDriverSettings({ ...folder, settings: {} }, undefined, ROOTS), { instanceOf: SourceError, code: 'refused' });
});

test('what lacks something makes no driver', (t) => {
  for (const [source, given] of [
    [{ ...webdav, url: null }, undefined],
    [{ ...s3, settings: {} }, secret],
    [{ ...s3, username: null }, secret],
    [s3, undefined],
  ] as const)
    t.throws(() => toDriverSettings(source, given, ROOTS), { instanceOf: SourceError, code: 'refused' });
});
