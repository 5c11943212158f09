// The rows of the specification's table "Notifications" that are about mail and webhooks: what each variable changes.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError, loadConfig } from '@sheaf/config';
import { createNotification } from '@sheaf/events/notifications';
import { makeGuardedFetch } from '@sheaf/outbound';
import { constant, makeRegistry, silentLogger, systemClock } from '@sheaf/process';
import { NO_TRACER } from '@sheaf/process/tracing';
import { openDeliverer } from '@sheaf/sync/testing';
import type { NotificationType } from '@sheaf/vocabulary/notifications';
import test from 'ava';
import { Webhook } from 'standardwebhooks';
import { type DeliveryRow, openDeliveryBench } from '../integration/events/fixture.ts';
import { type MailServer, startMailServer } from '../support/mail-server.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';

const folder = mkdtempSync(join(tmpdir(), 'sheaf-spec-'));
test.after.always(() => rmSync(folder, { recursive: true, force: true }));
const load = (environment: Readonly<Record<string, string>>) => loadConfig({ environment: { DATA_PATH: folder, ...environment } }).config;

interface Outcome {
  readonly mails: MailServer['mails'];
  readonly webhooks: WebhookReceiver['received'];
  readonly rows: readonly DeliveryRow[];
}

type Environment = Readonly<Record<string, string>>;

/** Tells a user something under `told`, and sends what is to leave under `sent`: what came out of it. */
const tellUnder = async (
  told: (servers: { mail: MailServer; webhook: WebhookReceiver }) => Environment,
  { sent = told, type = 'ocr_failed' }: { readonly sent?: typeof told; readonly type?: NotificationType } = {},
): Promise<Outcome> => {
  await using mail = await startMailServer();
  await using webhook = await startWebhookReceiver();
  await using bench = await openDeliveryBench();
  const { db } = bench.database;
  const { policy } = load(told({ mail, webhook })).notifications;
  await db.transaction((tx) => createNotification(tx, policy, { userId: bench.user.id, type, title: 'A title', message: 'Words' }));
  const config = load(sent({ mail, webhook }));
  const context = {
    settings: constant(config),
    database: bench.database,
    clock: systemClock,
    log: silentLogger(),
    registry: makeRegistry('sync'),
    tracer: NO_TRACER,
  };
  const fetch = makeGuardedFetch(config.outbound, { userAgent: 'Sheaf' });
  const deliverer = openDeliverer(context, fetch, { pollMs: 20, retryDelaysMs: [10] });
  await deliverer.start();
  const rows = await bench.untilEnded();
  await deliverer.stop();
  return { mails: [...mail.mails], webhooks: [...webhook.received], rows };
};

const withMail =
  (changed: Environment = {}) =>
  ({ mail }: { mail: MailServer }): Environment => ({ EMAIL_ENABLED: 'true', ...mail.environment, ...changed });

const withWebhook =
  (changed: Environment = {}) =>
  ({ webhook }: { webhook: WebhookReceiver }): Environment => ({
    WEBHOOK_ENABLED: 'true',
    WEBHOOK_URL: webhook.url,
    OUTBOUND_ALLOWED_NETWORKS: '127.0.0.1',
    ...changed,
  });

test('NOTIFICATIONS_ENABLED: while it is false nothing leaves, also what was told before', async (t) => {
  const off = { NOTIFICATIONS_ENABLED: 'false' };
  t.is((await tellUnder(withWebhook(off))).rows.length, 0);
  const { webhooks, rows } = await tellUnder(withWebhook(), { sent: withWebhook(off) });
  t.is(webhooks.length, 0);
  t.like(rows[0], { state: 'failed', last_error: 'Notifications are disabled (NOTIFICATIONS_ENABLED=false).' });
});

test('EMAIL_ENABLED: mail is sent when it is true, and not by default', async (t) => {
  t.is((await tellUnder(withMail())).mails.length, 1);
  t.is((await tellUnder(({ mail }) => mail.environment)).rows.length, 0);
  const { mails, rows } = await tellUnder(withMail(), { sent: ({ mail }) => mail.environment });
  t.is(mails.length, 0);
  t.like(rows[0], { state: 'failed', last_error: 'E-mail is disabled (EMAIL_ENABLED=false).' });
});

test('EMAIL_NOTIFICATION_TYPES, HEALTH_EMAIL_ALERTS: which notifications are mails', async (t) => {
  t.is((await tellUnder(withMail(), { type: 'ocr_completed' })).mails.length, 0);
  t.is((await tellUnder(withMail({ EMAIL_NOTIFICATION_TYPES: 'ocr_completed' }), { type: 'ocr_completed' })).mails.length, 1);
  t.is((await tellUnder(withMail(), { type: 'alert' })).mails.length, 0);
  t.is((await tellUnder(withMail({ HEALTH_EMAIL_ALERTS: 'true' }), { type: 'alert' })).mails.length, 1);
});

for (const name of ['SMTP_HOST', 'SMTP_USERNAME', 'SMTP_PASSWORD', 'SMTP_FROM_ADDRESS'])
  test(`${name} is required if e-mail is enabled`, async (t) => {
    await using mail = await startMailServer();
    const { [name]: _left, ...rest } = mail.environment;
    const { issues } = t.throws<ConfigError>(() => load({ EMAIL_ENABLED: 'true', ...rest }), { instanceOf: ConfigError });
    t.deepEqual(
      issues.map(({ variable }) => variable),
      [name],
    );
  });

test('SMTP_HOST, SMTP_PORT: where mail goes to', async (t) => {
  await using other = await startMailServer();
  const { mails } = await tellUnder(withMail({ SMTP_HOST: 'localhost', SMTP_PORT: String(other.port) }));
  t.is(mails.length, 0);
  t.is(other.mails.length, 1);
});

test('SMTP_USERNAME, SMTP_PASSWORD: by what the service signs in there', async (t) => {
  for (const wrong of ['SMTP_USERNAME', 'SMTP_PASSWORD']) {
    const { mails, rows } = await tellUnder(withMail({ [wrong]: 'another' }));
    t.is(mails.length, 0);
    t.like(rows[0], { state: 'failed', last_status: 535 });
  }
});

test('SMTP_FROM_ADDRESS: whom mail comes from', async (t) => {
  const { mails } = await tellUnder(withMail({ SMTP_FROM_ADDRESS: 'Archive <archive@example.net>' }));
  t.is(mails[0]?.from, 'archive@example.net');
  t.regex(mails[0]?.source ?? '', /^From: Archive <archive@example\.net>\r$/m);
});

test('SMTP_USE_TLS: true by default, and then a server without TLS gets nothing', async (t) => {
  const { SMTP_USE_TLS: _left, ...byDefault } = withMail()({ mail: { environment: {} } as MailServer });
  t.true(load({ ...byDefault, SMTP_HOST: 'h', SMTP_USERNAME: 'u', SMTP_PASSWORD: 'p', SMTP_FROM_ADDRESS: 'a@b.c' }).mail?.useTls);
  const { mails, rows } = await tellUnder(withMail({ SMTP_USE_TLS: 'true' }));
  t.is(mails.length, 0);
  t.is(rows[0]?.state, 'failed');
});

test('WEBHOOK_ENABLED: every notification is posted when it is true, and none by default', async (t) => {
  for (const type of ['ocr_completed', 'alert', 'security'] as const)
    t.is((await tellUnder(withWebhook(), { type })).webhooks.length, 1, type);
  const off = withWebhook({ WEBHOOK_ENABLED: 'false' });
  t.is((await tellUnder(off)).rows.length, 0);
  const { webhooks, rows } = await tellUnder(withWebhook(), { sent: off });
  t.is(webhooks.length, 0);
  t.like(rows[0], { state: 'failed', last_error: 'Webhooks are disabled (WEBHOOK_ENABLED=false).' });
});

test('WEBHOOK_URL: required if webhooks are enabled, and where they go to', async (t) => {
  t.throws(() => load({ WEBHOOK_ENABLED: 'true' }), { instanceOf: ConfigError });
  t.throws(() => load({ WEBHOOK_ENABLED: 'true', WEBHOOK_URL: 'ftp://example.org' }), { instanceOf: ConfigError });
  const { webhooks } = await tellUnder((servers) => {
    const environment = withWebhook()(servers);
    return { ...environment, WEBHOOK_URL: `${environment['WEBHOOK_URL']}?to=us` };
  });
  t.is(webhooks[0]?.path, '/hooks/sheaf?to=us');
});

test('WEBHOOK_SECRET: signs, by whsec_ and base64 or by any text; what only looks like the first is refused at the start', async (t) => {
  const verify = (secret: Webhook, { webhooks }: Outcome): unknown =>
    secret.verify(webhooks[0]?.body ?? '', webhooks[0]?.headers as Record<string, string>);
  const encoded = `whsec_${Buffer.from('four and twenty bytes ok').toString('base64')}`;
  t.like(verify(new Webhook(encoded), await tellUnder(withWebhook({ WEBHOOK_SECRET: encoded }))), { type: 'ocr_failed' });
  const plain = await tellUnder(withWebhook({ WEBHOOK_SECRET: 'any text at all' }));
  t.like(verify(new Webhook('any text at all', { format: 'raw' }), plain), { type: 'ocr_failed' });
  t.is((await tellUnder(withWebhook())).webhooks[0]?.headers['webhook-signature'], undefined);
  for (const secret of ['whsec_', 'whsec_not base64!', 'whsec_abcde'])
    t.throws(() => load({ WEBHOOK_SECRET: secret }), { instanceOf: ConfigError }, secret);
});
