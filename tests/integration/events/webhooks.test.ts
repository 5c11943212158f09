import { Secret } from '@sheaf/contract';
import { makeWebhookWay } from '@sheaf/events/notifications';
import { makeGuardedFetch } from '@sheaf/outbound';
import { systemClock } from '@sheaf/process';
import test from 'ava';
import { Webhook } from 'standardwebhooks';
import { fullOnly } from '../../support/full-run.ts';
import { waitFor } from '../../support/wait-for.ts';
import { answers, startWebhookReceiver } from '../../support/webhook-receiver.ts';
import { loopbackFetch } from '../sources/given-driver.ts';
import { openDeliveryBench, WEBHOOK_SECRET, webhookTo } from './fixture.ts';

test('a notification is posted as {type, timestamp, data}, signed so that a receiver of Standard Webhooks accepts it', async (t) => {
  await using bench = await openDeliveryBench();
  await using receiver = await startWebhookReceiver();
  await bench.tell({ title: 'Grüße', message: 'two\nlines', data: { document_id: 'd' } });
  await bench.open({ webhook: webhookTo(receiver) }).start();
  const [row] = await bench.until('delivered');
  t.like(row, { state: 'delivered', attempts: 1, last_status: 204, last_error: null });
  const [request] = receiver.received;
  if (request === undefined) throw new Error('nothing came');
  t.like(request, { method: 'POST', path: '/hooks/sheaf' });
  t.like(request.headers, { 'content-type': 'application/json', 'webhook-id': row?.id });
  const verified = new Webhook(WEBHOOK_SECRET).verify(request.body, request.headers as Record<string, string>) as Record<string, unknown>;
  t.deepEqual(Object.keys(verified), ['type', 'timestamp', 'data']);
  t.is(verified['type'], 'ocr_failed');
  t.like(verified['data'], { title: 'Grüße', message: 'two\nlines', document_id: 'd', user_id: bench.user.id });
  t.true(Math.abs(Date.parse(String(verified['timestamp'])) - Date.now()) < 60_000);
  t.throws(() => new Webhook(WEBHOOK_SECRET).verify(`${request.body} `, request.headers as Record<string, string>));
});

test('a secret that is any text signs with its bytes, and without a secret nothing is signed', async (t) => {
  await using bench = await openDeliveryBench();
  await using receiver = await startWebhookReceiver();
  const settings = { url: receiver.url, fetch: loopbackFetch(), clock: systemClock };
  await bench.tell();
  await bench.open({ webhook: makeWebhookWay({ ...settings, secret: new Secret('geheim ß') }) }).start();
  await bench.until('delivered');
  const [signed] = receiver.received;
  const key = new TextEncoder().encode('geheim ß');
  t.notThrows(() => new Webhook(key, { format: 'raw' }).verify(signed?.body ?? '', signed?.headers as Record<string, string>));

  await using other = await openDeliveryBench();
  await other.tell();
  await other.open({ webhook: makeWebhookWay({ ...settings, secret: undefined }) }).start();
  await other.until('delivered');
  t.false('webhook-signature' in (receiver.received[1]?.headers ?? {}));
  t.true('webhook-id' in (receiver.received[1]?.headers ?? {}));
});

test('a receiver that fails is tried again under the same id, each time with a new time, until it takes it', async (t) => {
  await using bench = await openDeliveryBench();
  await using receiver = await startWebhookReceiver();
  receiver.answer(answers.status(200), answers.status(500), answers.cutOff, answers.status(429));
  await bench.tell();
  await bench.open({ webhook: webhookTo(receiver) }).start();
  const [row] = await bench.until('delivered');
  t.like(row, { attempts: 4, last_status: 200, last_error: null });
  t.is(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size, 1);
  t.is(new Set(receiver.received.map(({ body }) => body)).size, 1);
  for (const { headers, body } of receiver.received)
    t.notThrows(() => new Webhook(WEBHOOK_SECRET).verify(body, headers as Record<string, string>));
});

test('after five attempts, with pauses between them, it has failed, and the table says why', async (t) => {
  await using bench = await openDeliveryBench();
  await using receiver = await startWebhookReceiver();
  receiver.answer(answers.status(503));
  await bench.tell();
  await bench.open({ webhook: webhookTo(receiver) }, { retryDelaysMs: [50, 100] }).start();
  const [row] = await bench.until('failed');
  t.like(row, { attempts: 5, last_status: 503, last_error: 'The receiver returned status 503.', delivered_at: null });
  t.is(receiver.received.length, 5);
  const pauses = receiver.received.slice(1).map(({ atMs }, n) => atMs - (receiver.received[n]?.atMs ?? 0));
  t.true((pauses[0] ?? 0) >= 49, 'the first pause');
  for (const pause of pauses.slice(1)) t.true(pause >= 99, 'the later ones');
});

test('a receiver that answers 410 is not asked again', async (t) => {
  await using bench = await openDeliveryBench();
  await using receiver = await startWebhookReceiver();
  receiver.answer(answers.status(410));
  await bench.tell();
  await bench.open({ webhook: webhookTo(receiver) }).start();
  t.like((await bench.until('failed'))[0], { attempts: 1, last_status: 410 });
  t.is(receiver.received.length, 1);
});

test('redirects are not followed', async (t) => {
  await using bench = await openDeliveryBench();
  await using receiver = await startWebhookReceiver();
  await using elsewhere = await startWebhookReceiver();
  receiver.answer(answers.status(307, { location: elsewhere.url }));
  await bench.tell();
  await bench.open({ webhook: webhookTo(receiver) }).start();
  const [row] = await bench.until('failed');
  t.regex(row?.last_error ?? '', /redirect.*WEBHOOK_URL/);
  t.is(elsewhere.received.length, 0);
});

fullOnly(test)('a receiver that stalls is given up, and holds up neither those after it nor mail', async (t) => {
  await using bench = await openDeliveryBench();
  await using receiver = await startWebhookReceiver();
  receiver.answer(answers.status(200), answers.nothing);
  await bench.tell({ title: 'first' });
  await bench.open({ webhook: webhookTo(receiver, 10_000) }, { retryDelaysMs: [3_600_000] }).start();
  await waitFor(() => receiver.received.length === 1, { description: 'the first', limitMs: 20_000 });
  await bench.tell({ title: 'second' });
  const states = (): Promise<string> => bench.rows().then((rows) => rows.map(({ state }) => state).join());
  await waitFor(async () => (await states()) === 'sending,delivered', { description: 'the second to overtake', limitMs: 20_000 });
  await waitFor(async () => (await states()) === 'pending,delivered', { description: 'the first to be given up', limitMs: 20_000 });
  const [given] = await bench.rows();
  t.like(given, { attempts: 1, last_status: null });
  t.regex(given?.last_error ?? '', /timeout/);
});

test('what a receiver says beside its status is not waited for, however much it is', async (t) => {
  await using bench = await openDeliveryBench();
  await using receiver = await startWebhookReceiver();
  receiver.answer(answers.endlessly, answers.status(200, { 'content-length': String(2 ** 40) }));
  await bench.tell();
  await bench.tell();
  await bench.open({ webhook: webhookTo(receiver) }).start();
  for (const row of await bench.until('delivered')) t.like(row, { attempts: 1, last_status: 200 });
  await waitFor(async () => (await receiver.connections()) === 0, { description: 'the receiver to be let go of', limitMs: 10_000 });
  t.is(receiver.received.length, 2);
});

test('an address of this machine is refused unless it is in OUTBOUND_ALLOWED_NETWORKS, and nothing is sent', async (t) => {
  await using bench = await openDeliveryBench();
  await using receiver = await startWebhookReceiver();
  const fetch = makeGuardedFetch({ allowedNetworks: [], denyPrivate: false }, { userAgent: 'Sheaf' });
  await bench.tell();
  await bench.open({ webhook: makeWebhookWay({ url: receiver.url, secret: undefined, fetch, clock: systemClock }) }).start();
  const [row] = await bench.until('failed');
  t.regex(row?.last_error ?? '', /loopback.*OUTBOUND_ALLOWED_NETWORKS/);
  t.is(receiver.received.length, 0);
});
