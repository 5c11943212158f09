import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Secret } from '@sheaf/contract';
import { ledgerReason } from '@sheaf/contract/imports';
import { makeGuardedFetch } from '@sheaf/outbound';
import type { RemoteFile, SourceDriver } from '@sheaf/sources';
import { isFullRun } from '@sheaf/testkit';
import type { LedgerReasonCode } from '@sheaf/vocabulary/ledger-reasons';
import type { SourceErrorCode } from '@sheaf/vocabulary/sources';
import test, { type ExecutionContext } from 'ava';
import { makeKeyPair } from '../../support/certificate.ts';
import { type Fault, type FaultProxy, faults, openFaultProxy } from '../../support/fault-proxy.ts';
import { fullOnly } from '../../support/full-run.ts';
import { waitFor } from '../../support/wait-for.ts';
import { WEBDAV_USER } from '../../support/webdav-folder.ts';
import { openWebdavServer } from '../../support/webdav-server.ts';
import { collect, failsWith, getFile, listFiles, never } from './driver-contract.ts';
import { givenWebdav, loopbackFetch } from './given-driver.ts';
import { entryXml, listings, MULTISTATUS_START, multistatus, XML_HEADERS } from './multistatus-answer.ts';

interface Spoilt extends AsyncDisposable {
  readonly proxy: FaultProxy;
  readonly driver: SourceDriver;
  readonly file: RemoteFile;
}

/** A real server with one file behind a proxy, already listed. */
const openSpoilt = async (content = 'x'.repeat(100_000), times = {}): Promise<Spoilt> => {
  const server = await openWebdavServer();
  await writeFile(join(server.folder, 'a.txt'), content);
  const proxy = await openFaultProxy(server.url);
  const settings = { url: proxy.url, username: WEBDAV_USER, password: new Secret(server.password) };
  const file = getFile(await listFiles(givenWebdav(settings)), 'a.txt'); // with all the time that it takes
  const driver = givenWebdav(settings, { fetch: loopbackFetch(times) });
  const close = async (): Promise<void> => {
    await proxy[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  };
  return { proxy, driver, file, [Symbol.asyncDispose]: close };
};

const read = async (driver: SourceDriver, file: RemoteFile): Promise<Buffer> => buffer((await driver.open(file, never())).body);

/** A server that has nothing but faults. */
const openFaulty = async (t: ExecutionContext, fault: Fault): Promise<FaultProxy> => {
  const proxy = await openFaultProxy();
  t.teardown(() => proxy[Symbol.asyncDispose]());
  proxy.inject({ fault });
  return proxy;
};

const execute = promisify(execFile);
const LISTING_PROGRAM = fileURLToPath(new URL('../../fixtures/sources/list-source.ts', import.meta.url));

/** The limit of the service, and one that takes far less time. */
const MAX_ENTRIES = isFullRun ? 1_000_000 : 5_000;

/** Lists one after the other in a process of their own that dies when it keeps too much. Without doing anything it takes 26 MB. */
const listInSmallProcess = async (urls: readonly string[]): Promise<readonly { readonly code: string; readonly found: number }[]> => {
  const flags = ['--max-old-space-size=52', '--max-semi-space-size=2'];
  const { stdout } = await execute(process.execPath, [...flags, LISTING_PROGRAM, String(MAX_ENTRIES), ...urls]);
  return JSON.parse(stdout) as { code: string; found: number }[];
};

const folder = (href: string) => ({ href, isFolder: true });

test('a server that hangs up before, in a listing or in a file is unreachable, and works again when it does', async (t) => {
  await using spoilt = await openSpoilt();
  const { proxy, driver, file } = spoilt;
  proxy.inject({ fault: faults.cutHeaders() });
  await failsWith(t, driver.check(never()), 'unreachable');
  await failsWith(t, collect(driver.list(never())), 'unreachable');
  await failsWith(t, driver.open(file, never()), 'unreachable');
  proxy.inject({ fault: faults.cutBody(60) });
  await failsWith(t, collect(driver.list(never())), 'unreachable');
  await failsWith(t, read(driver, file), 'unreachable');
  proxy.heal();
  t.is((await read(driver, file)).length, 100_000);
});

test('a server that falls silent is abandoned, before its answer and in the middle of it', async (t) => {
  await using spoilt = await openSpoilt('x'.repeat(1_000), { headersTimeoutMs: 300, idleTimeoutMs: 300 });
  const { proxy, driver, file } = spoilt;
  for (const fault of [faults.silence(), faults.stall()]) {
    proxy.inject({ fault });
    await failsWith(t, collect(driver.list(never())), 'timeout');
    await failsWith(t, read(driver, file), 'timeout');
  }
});

const STATUSES: readonly (readonly [number, Record<string, string>, SourceErrorCode, number | undefined])[] = [
  [401, {}, 'unauthorized', undefined],
  [403, {}, 'unauthorized', undefined],
  [404, {}, 'not_found', undefined],
  [405, {}, 'protocol', undefined],
  [501, {}, 'protocol', undefined],
  [200, { 'content-type': 'text/html' }, 'protocol', undefined],
  [204, {}, 'protocol', undefined],
  [429, { 'retry-after': '7' }, 'throttled', 7_000],
  [429, {}, 'throttled', undefined],
  [503, { 'retry-after': '120' }, 'throttled', 120_000],
  [503, {}, 'server_error', undefined],
  [500, {}, 'server_error', undefined],
  [507, {}, 'server_error', undefined],
];

test('each status that is no listing has its meaning', async (t) => {
  for (const [status, headers, code, retryAfterMs] of STATUSES) {
    const proxy = await openFaulty(t, faults.answer(status, status === 204 ? '' : '<html>no</html>', headers));
    const driver = givenWebdav({ url: proxy.url, username: 'ada', password: new Secret('hunter2') });
    for (const run of [() => driver.check(never()), () => collect(driver.list(never()))]) {
      const error = await failsWith(t, run(), code);
      t.is(error?.retryAfterMs, retryAfterMs, `${status}`);
      t.false(error?.message.includes('hunter2'));
    }
  }
});

test('a file of another length than announced is refused', async (t) => {
  await using spoilt = await openSpoilt();
  const { proxy, driver, file } = spoilt;
  proxy.inject({ fault: faults.replaceBody('x'.repeat(99_999)) });
  await failsWith(t, read(driver, file), 'protocol');
  proxy.inject({ fault: faults.replaceBody('x'.repeat(100_001)) });
  await failsWith(t, read(driver, file), 'protocol');
  proxy.inject({ fault: faults.shorten(50_000) });
  const shorter = await driver.open(file, never());
  t.is((await buffer(shorter.body)).length, 50_000);
  t.false(await shorter.isUnchanged());
  const announcesMore: Fault = ({ request, response }) => {
    response.writeHead(200, { 'content-length': '100' }).write('short', () => request.socket.end());
  };
  proxy.inject({ fault: announcesMore });
  await failsWith(t, read(driver, file), 'unreachable');
});

test('one ETag for two lengths is a contradiction', async (t) => {
  const proxy = await openFaulty(t, faults.answer(200, 'short', { etag: '"1"' }));
  const driver = givenWebdav({ url: proxy.url });
  const file = { path: 'a.txt', sizeBytes: 100, modifiedAt: undefined, etag: '"1"' };
  await failsWith(t, driver.open(file, never()), 'protocol');
});

test('a body without an end stops where it should have ended, or where its reader stops, and the connection with it', async (t) => {
  const proxy = await openFaulty(
    t,
    faults.endless(200, {}, () => Buffer.alloc(64 * 1024)),
  );
  const driver = givenWebdav({ url: proxy.url });
  const file = { path: 'a.txt', sizeBytes: 1_000_000, modifiedAt: undefined, etag: undefined };
  await failsWith(t, read(driver, file), 'protocol');
  const { body } = await driver.open({ ...file, sizeBytes: undefined }, never());
  let bytes = 0;
  for await (const chunk of body) {
    bytes += (chunk as Buffer).length;
    if (bytes > 5_000_000) break;
  }
  await waitFor(() => proxy.connections() === 0, { description: 'the connections to close', limitMs: 5_000 });
  t.pass();
});

test('a redirect to elsewhere is refused without asking there; one on the same server is followed', async (t) => {
  const elsewhere = await openFaulty(t, faults.answer(207, multistatus([folder('/')]), XML_HEADERS));
  const proxy = await openFaulty(t, faults.redirect(`${elsewhere.url}/?token=secret`));
  const driver = givenWebdav({ url: proxy.url, username: 'ada', password: new Secret('hunter2') });
  for (const run of [() => driver.check(never()), () => collect(driver.list(never()))]) {
    const error = await failsWith(t, run(), 'refused');
    t.true(error?.message.includes(elsewhere.url));
    t.false(error?.message.includes('secret'));
  }
  await failsWith(t, driver.open({ path: 'a', sizeBytes: 1, modifiedAt: undefined, etag: undefined }, never()), 'refused');
  t.deepEqual(elsewhere.seen, []);

  const moved = await openFaulty(t, listings({ '/new/': [folder('/new/'), { href: '/new/a.txt', sizeBytes: 4 }] }));
  moved.inject({ fault: faults.redirect('/new/', 301), when: ({ url }) => url === '/old/' });
  moved.inject({ fault: faults.answer(200, 'text'), when: ({ url }) => url === '/new/a.txt' });
  const follower = givenWebdav({ url: `${moved.url}/old` });
  const file = getFile(await listFiles(follower), 'a.txt');
  t.is((await read(follower, file)).toString(), 'text');
});

const BOMB = `<?xml version="1.0"?><!DOCTYPE m [<!ENTITY a "ha">${'bcdefghij'
  .split('')
  .map((name, index) => `<!ENTITY ${name} "${`&${'abcdefghij'[index]};`.repeat(10)}">`)
  .join('')}]><D:multistatus xmlns:D="DAV:"><D:response><D:href>&j;</D:href></D:response></D:multistatus>`;

test('answers that are no listing are told from one, whatever they are', async (t) => {
  const external = await openFaulty(t, faults.answer(200, 'stolen'));
  const itself = entryXml(folder('/'));
  const undeclared = multistatus([folder('/')]).replace(/^<\?.*?\?>/, '');
  const answers: Record<string, string | Buffer> = {
    'nothing at all': '',
    'no XML': 'garbage { } <<<',
    HTML: '<html><body>Welcome</body></html>',
    'another document': '<feed xmlns="http://www.w3.org/2005/Atom"></feed>',
    'an end in the middle': multistatus([folder('/')]).slice(0, -30),
    'an end before the end': multistatus([folder('/')]).replace('</D:multistatus>', ''),
    'another element': multistatus([folder('/')]).replaceAll('D:multistatus', 'D:other'),
    'an unknown entity': `${MULTISTATUS_START}<D:response><D:href>&boo;</D:href></D:response></D:multistatus>`,
    'a bomb of entities': BOMB,
    'an external entity': `<!DOCTYPE m [<!ENTITY x SYSTEM "${external.url}/">]>${undeclared.replace('</D:href>', '&x;</D:href>')}`,
    'an external DTD': `<!DOCTYPE m SYSTEM "${external.url}/m.dtd">${undeclared}`,
    'bytes that are no UTF-8': Buffer.from(multistatus([folder('/'), { href: '/\u00ff' }]), 'latin1'),
    'deep nesting': `${MULTISTATUS_START}${itself}${'<D:x>'.repeat(100)}${'</D:x>'.repeat(100)}</D:multistatus>`,
    'an entry without address': `${MULTISTATUS_START}${itself}<D:response></D:response></D:multistatus>`,
    'no entries': `${MULTISTATUS_START}</D:multistatus>`,
    'the root of another place': multistatus([folder('/other/'), { href: '/other/a.txt' }]).replace(
      '/other/',
      'http://else.example/other/',
    ),
    'a file instead of the root': multistatus([{ href: '/', sizeBytes: 5 }]),
  };
  for (const [what, answer] of Object.entries(answers)) {
    const proxy = await openFaulty(t, faults.answer(207, answer, XML_HEADERS));
    const driver = givenWebdav({ url: proxy.url });
    t.truthy(await failsWith(t, collect(driver.list(never())), 'protocol'), what);
    t.truthy(await failsWith(t, driver.check(never()), 'protocol'), what);
  }
  t.deepEqual(external.seen, []);
});

test('answers without an end are cut off at their limit, in a process that has 52 MB for all it does', async (t) => {
  const start = MULTISTATUS_START + entryXml(folder('/'));
  const chunk = 'x'.repeat(16_384);
  const files = (index: number): string =>
    Array.from({ length: 100 }, (_, file) => entryXml({ href: `/${index}-${file}.txt`, sizeBytes: 10, etag: `"${index}"` })).join('');
  const endless: Record<string, [Fault, SourceErrorCode]> = {
    files: [faults.endless(207, XML_HEADERS, files, start), 'too_large'],
    folders: [faults.endless(207, XML_HEADERS, (index) => entryXml(folder(`/folder-${index}/`)), start), 'too_large'],
    'refused entries': [faults.endless(207, XML_HEADERS, () => entryXml({ href: '/%2e%2e/x' }).repeat(100), start), 'too_large'],
    text: [faults.endless(207, XML_HEADERS, () => chunk, `${start}<D:response><D:href>`), 'protocol'],
    'white space': [faults.endless(207, XML_HEADERS, () => ' '.repeat(16_384), start), 'protocol'],
    'a comment': [faults.endless(207, XML_HEADERS, () => chunk, `${start}<!--`), 'protocol'],
    'an attribute': [faults.endless(207, XML_HEADERS, () => chunk, `${start}<D:response a="`), 'protocol'],
    attributes: [faults.endless(207, XML_HEADERS, (index) => `a${index}="b" `.repeat(1), `${start}<D:response `), 'protocol'],
    'a name': [faults.endless(207, XML_HEADERS, () => chunk, `${start}<D:response`), 'protocol'],
    properties: [faults.endless(207, XML_HEADERS, () => '<D:x>y</D:x>'.repeat(1_000), `${start}<D:response>`), 'protocol'],
    'tags beside entries': [faults.endless(207, XML_HEADERS, () => '<D:x/>'.repeat(1_000), start), 'protocol'],
  };
  const proxies: FaultProxy[] = [];
  for (const [fault] of Object.values(endless)) proxies.push(await openFaulty(t, fault));
  const outcomes = await listInSmallProcess(proxies.map(({ url }) => url));
  for (const [at, [what, [, code]]] of Object.entries(endless).entries()) {
    const outcome = outcomes[at];
    t.is(outcome?.code, code, `${what}: ${JSON.stringify(outcome)}`);
    if (what === 'files') t.true((outcome?.found ?? 0) > MAX_ENTRIES - 1_000);
    await waitFor(() => proxies[at]?.connections() === 0, { description: `the connection of ${what} to close`, limitMs: 5_000 });
  }
});

test('circles end: folders that name themselves, their ancestors or the whole tree', async (t) => {
  const a = { href: '/dav/a.txt', sizeBytes: 1 };
  const b = { href: '/dav/sub/b.txt', sizeBytes: 1 };
  const proxy = await openFaulty(
    t,
    listings({
      '/dav/': [folder('/dav'), folder('/dav/'), a, folder('/dav/sub/'), folder('/dav/sub'), folder('/dav/s%75b/'), b, folder('/dav/sub/')],
      '/dav/sub/': [folder('/dav/sub/'), folder('/dav/sub'), folder('/dav/'), a, b, folder('/dav/sub/')],
    }),
  );
  const driver = givenWebdav({ url: `${proxy.url}/dav` });
  const { files, refused } = await collect(driver.list(never()));
  t.deepEqual(files.map(({ path }) => path).sort(), ['a.txt', 'sub/b.txt']);
  t.deepEqual(refused, []);
  t.is(proxy.seen.length, 2);
});

fullOnly(test)('folders without a bottom are too deep, and long paths too long', async (t) => {
  const proxy = await openFaulty(t, ({ request, response }) => {
    response.writeHead(207, XML_HEADERS).end(multistatus([folder(request.url ?? ''), folder(`${request.url}again/`)]));
  });
  const error = await failsWith(t, collect(givenWebdav({ url: proxy.url }).list(never())), 'too_large');
  t.regex(error?.message ?? '', /more than 64 folder levels/);
  t.true(proxy.seen.length <= 66);
  const long = await openFaulty(t, listings({ '/': [folder('/'), { href: `/${'x'.repeat(4_097)}` }] }));
  await failsWith(t, collect(givenWebdav({ url: long.url }).list(never())), 'too_large');
});

test('addresses that are no path below the root are refused with their reason', async (t) => {
  const entries = (root: string): Record<string, LedgerReasonCode> => ({
    'http://else.example/dav/a.txt': 'another_server',
    [`${root.replace('http:', 'https:')}/dav/a.txt`]: 'another_server',
    '//else.example/dav/a.txt': 'another_server',
    'ftp://else.example/dav/a.txt': 'address_not_web',
    'javascript:alert(1)': 'address_not_web',
    '/etc/passwd': 'outside_source',
    '/davos/a.txt': 'outside_source',
    '/dav/../etc/passwd': 'path_with_dots',
    '/dav/%2e%2e/etc/passwd': 'path_with_dots',
    '/dav/sub/%2E./%2e%2E/a.txt': 'path_with_dots',
    [`${root}/dav/%2e%2e/a.txt`]: 'path_with_dots',
    '/dav/./a.txt': 'path_with_dots',
    '/dav/a%2Fb.txt': 'path_with_slash',
    '/dav//a.txt': 'path_part_empty',
    '/dav/a%00.txt': 'control_characters',
    '/dav/a%0Ab.txt': 'control_characters',
    '/dav/100%.txt': 'badly_encoded',
    '/dav/%E4.txt': 'badly_encoded',
    '/dav/a.txt?version=1': 'badly_encoded',
    '/dav/a.txt#part': 'badly_encoded',
    'a.txt': 'address_not_absolute',
  });
  const proxy = await openFaultProxy();
  t.teardown(() => proxy[Symbol.asyncDispose]());
  const expected = entries(proxy.url);
  const hrefs = Object.keys(expected);
  proxy.inject({ fault: listings({ '/dav/': [folder('/dav/'), ...hrefs.map((href) => ({ href })), { href: '/dav/good.txt' }] }) });
  const { files, refused } = await collect(givenWebdav({ url: `${proxy.url}/dav/` }).list(never()));
  t.deepEqual(
    files.map(({ path }) => path),
    ['good.txt'],
  );
  t.is(refused.length, hrefs.length);
  for (const [index, code] of Object.values(expected).entries()) t.is(refused[index]?.reason.code, code, hrefs[index]);
  t.false(refused.some(({ path }) => path.includes('\0') || path.includes('\n')));
});

test('addresses are understood in every way that servers write them', async (t) => {
  const proxy = await openFaultProxy();
  t.teardown(() => proxy[Symbol.asyncDispose]());
  const root = '/remote.php/dav/files/ad%61%20l/';
  const answer = [
    folder('/remote.php/dav/files/ada%20l'),
    { href: `${proxy.url}/remote.php/dav/files/ada%20l/absolute.txt` },
    { href: '/remote.php/dav/files/ada%20l/%66ully%2Eencoded%2etxt' },
    { href: '/remote.php/dav/files/ada l/raw ümläut.txt' },
    { href: '  /remote.php/dav/files/ada%20l/padded.txt\n' },
    { href: '/remote.php/dav/files/ada%20l/lower%c3%a4case.txt' },
    { href: '/remote.php/dav/files/ada%20l/plus+plus.txt' },
    { href: '/remote.php/dav/files/ada%20l/a&b<c>.txt' },
  ];
  proxy.inject({ fault: listings({ [root]: answer }) });
  const { files, refused } = await collect(givenWebdav({ url: proxy.url + root.slice(0, -1) }).list(never()));
  t.deepEqual(refused, []);
  t.deepEqual(
    files.map(({ path }) => path),
    ['absolute.txt', 'fully.encoded.txt', 'raw ümläut.txt', 'padded.txt', 'loweräcase.txt', 'plus+plus.txt', 'a&b<c>.txt'],
  );
});

test('properties that a server does not have, or has no sense in, are unknown', async (t) => {
  const broken = '<D:getcontentlength>-1</D:getcontentlength><D:getlastmodified>yesterday</D:getlastmodified><D:getetag/>';
  const missing = `<D:propstat><D:prop>${broken}</D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat>`;
  const not =
    '<D:propstat><D:prop><D:getetag>"x"</D:getetag><D:getcontentlength>7</D:getcontentlength></D:prop><D:status>HTTP/1.1 404 Not Found</D:status></D:propstat>';
  const xml = `${MULTISTATUS_START}${entryXml(folder('/'))}
    <D:response><D:href>/a.txt</D:href>${missing}${not}</D:response>
    <D:response><D:href>/folder/</D:href>${not}</D:response>
    <D:response><D:href>/hidden/</D:href><D:status>HTTP/1.1 403 Forbidden</D:status></D:response>
    <x:response xmlns:x="urn:other"><x:href>/other.txt</x:href></x:response></D:multistatus>`;
  const proxy = await openFaulty(
    t,
    listings({ '/folder/': [folder('/folder/'), { href: '/folder/b.txt', etag: 'W/"weak"', sizeBytes: 2 }] }),
  );
  proxy.inject({ fault: faults.answer(207, xml, XML_HEADERS), when: ({ url }) => url === '/' });
  const { files, refused } = await collect(givenWebdav({ url: proxy.url }).list(never()));
  t.deepEqual(files, [
    { path: 'a.txt', sizeBytes: undefined, modifiedAt: undefined, etag: undefined },
    { path: 'folder/b.txt', sizeBytes: 2, modifiedAt: undefined, etag: 'W/"weak"' },
  ]);
  t.deepEqual(refused, [{ path: 'hidden', reason: ledgerReason('not_shown', { status: 403 }), isFolder: true }]);
});

test('a folder below that is forbidden is reported, as is one that is named and not found, and one that fails ends the listing', async (t) => {
  const proxy = await openFaulty(t, listings({ '/': [folder('/'), folder('/x/'), { href: '/a.txt' }] }));
  const driver = givenWebdav({ url: proxy.url });
  const forX = (fault: Fault): void => proxy.inject({ fault, when: ({ url }) => url === '/x/' });
  forX(faults.answer(403));
  t.deepEqual((await collect(driver.list(never()))).refused, [{ path: 'x', reason: ledgerReason('folder_forbidden'), isFolder: true }]);
  forX(faults.answer(404));
  t.deepEqual((await collect(driver.list(never()))).refused, [{ path: 'x', reason: ledgerReason('folder_not_found'), isFolder: true }]);
  forX(faults.answer(500));
  await failsWith(t, collect(driver.list(never())), 'server_error');
  forX(faults.answer(207, multistatus([folder('/y/'), { href: '/y/a.txt' }]), XML_HEADERS));
  await failsWith(t, collect(driver.list(never())), 'protocol');
});

test('a server that gives downloads other ETags than listings is understood by size and date', async (t) => {
  const date = 'Fri, 20 Nov 2026 10:00:00 GMT';
  const fault: Fault = (exchange) =>
    exchange.request.headers['if-match'] === undefined
      ? faults.answer(200, 'text', { etag: '"download"', 'last-modified': date })(exchange)
      : faults.answer(412)(exchange);
  const proxy = await openFaulty(t, fault);
  const driver = givenWebdav({ url: proxy.url });
  const file = { path: 'a.txt', sizeBytes: 4, modifiedAt: new Date(date), etag: '"listing"' };
  const opened = await driver.open(file, never());
  t.is((await buffer(opened.body)).toString(), 'text');
  t.true(await opened.isUnchanged());
  t.is(opened.etag, '"listing"');
  const later = await driver.open({ ...file, modifiedAt: new Date('2026-11-20T09:00:00Z') }, never());
  t.is((await buffer(later.body)).toString(), 'text');
  t.false(await later.isUnchanged());
});

test('where neither listing nor download tell a version, the server is asked again after reading', async (t) => {
  const proxy = await openFaulty(t, ({ response }) => void response.writeHead(200, { 'transfer-encoding': 'chunked' }).end('text'));
  const driver = givenWebdav({ url: proxy.url });
  const file = { path: 'a.txt', sizeBytes: 4, modifiedAt: undefined, etag: undefined };
  for (const [sizeBytes, expected] of [
    [4, true],
    [5, false],
  ] as const) {
    proxy.inject({
      fault: faults.answer(207, multistatus([{ href: '/a.txt', sizeBytes }]), XML_HEADERS),
      when: ({ method }) => method === 'PROPFIND',
    });
    const opened = await driver.open(file, never());
    t.is((await buffer(opened.body)).toString(), 'text');
    t.is(await opened.isUnchanged(), expected);
  }
});

test('each client keeps to its own policy, also at the same time', async (t) => {
  const proxy = await openFaulty(t, listings({ '/': [folder('/'), { href: '/a.txt' }] }));
  const resolve = async () => [{ address: '127.0.0.1', family: 4 }];
  const strict = makeGuardedFetch({ allowedNetworks: [], denyPrivate: true }, { userAgent: 'Sheaf', resolve });
  const allowed = givenWebdav({ url: proxy.url });
  const forbidden = givenWebdav({ url: proxy.url }, { fetch: strict });
  for (let round = 0; round < 5; round += 1) {
    const [files, error] = await Promise.all([listFiles(allowed), failsWith(t, forbidden.check(never()), 'refused')]);
    t.is(files.size, 1);
    t.regex(error?.message ?? '', /OUTBOUND_ALLOWED_NETWORKS/);
  }
  t.is(proxy.seen.length, 5);
});

test('a certificate that nobody vouches for and a name that nobody knows are told', async (t) => {
  const { key, certificate } = await makeKeyPair('files.example');
  const server = createServer({ key, cert: certificate }, (_request, response) => response.end());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const { port } = server.address() as AddressInfo;
  const untrusted = await failsWith(t, givenWebdav({ url: `https://files.example:${port}/` }).check(never()), 'unreachable');
  t.regex(untrusted?.message ?? '', /certificate/);
  const resolve = () => Promise.reject(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }));
  const fetch = makeGuardedFetch({ allowedNetworks: ['127.0.0.0/8'], denyPrivate: true }, { userAgent: 'Sheaf', resolve });
  const unknown = await failsWith(t, givenWebdav({ url: 'http://files.example/dav' }, { fetch }).check(never()), 'unreachable');
  t.regex(unknown?.message ?? '', /unknown host name/);
});

test('a root that its server lists but does not show has the meaning of the status inside', async (t) => {
  const inner = '<D:response><D:href>/</D:href><D:status>HTTP/1.1 403 Forbidden</D:status></D:response>';
  const proxy = await openFaulty(t, faults.answer(207, `${MULTISTATUS_START}${inner}</D:multistatus>`, XML_HEADERS));
  const driver = givenWebdav({ url: proxy.url });
  await failsWith(t, driver.check(never()), 'unauthorized');
  await failsWith(t, collect(driver.list(never())), 'unauthorized');
});

test('addresses that cannot be those of a source are refused', async (t) => {
  for (const url of ['', 'files', 'ftp://files.example/', 'https://ada:hunter2@files.example/', 'https://files.example/?token=hunter2']) {
    const error = t.throws(() => givenWebdav({ url }));
    t.is((error as { code?: string } | undefined)?.code, 'refused', url);
    t.false(error?.message.includes('hunter2'));
  }
  await failsWith(t, givenWebdav({ url: 'http://169.254.169.254/' }).check(never()), 'refused');
});
