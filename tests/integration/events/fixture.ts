import { Secret } from '@sheaf/contract';
import type { User } from '@sheaf/db/schema';
import {
  type ChannelOff,
  createNotification,
  Deliverer,
  type DelivererDeps,
  type DeliveryWay,
  Mailer,
  makeDeliveryMetrics,
  makeEmailWay,
  makeWebhookWay,
} from '@sheaf/events/notifications';
import { constant, makeRegistry, type Registry, silentLogger, systemClock } from '@sheaf/process';
import { NO_TRACER } from '@sheaf/process/tracing';
import { givenUser, openTestDatabase, type TestDatabase } from '@sheaf/testkit';
import type { DeliveryChannel } from '@sheaf/vocabulary/deliveries';
import type { NotificationPolicy, NotificationType } from '@sheaf/vocabulary/notifications';
import type { MailServer } from '../../support/mail-server.ts';
import { waitFor } from '../../support/wait-for.ts';
import type { WebhookReceiver } from '../../support/webhook-receiver.ts';
import { loopbackFetch } from '../sources/given-driver.ts';

export const WEBHOOK_SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
export const PUBLIC_URL = 'https://papers.example.org';

export interface DeliveryRow {
  readonly id: string;
  readonly channel: string;
  readonly recipient: string | null;
  readonly state: string;
  readonly attempts: number;
  readonly last_status: number | null;
  readonly last_error: string | null;
  readonly delivered_at: Date | null;
}

export interface DeliveryBench extends AsyncDisposable {
  readonly database: TestDatabase;
  readonly user: User;
  readonly registry: Registry;
  /** Tells the user something, and has it leave by `channels`. */
  tell(fields?: Told, channels?: readonly ('email' | 'webhook')[]): Promise<void>;
  /** A deliverer, ended with the bench. Nothing is enabled that is not given. */
  open(ways: Partial<Record<DeliveryChannel, DeliveryWay | ChannelOff>>, deps?: Partial<Omit<DelivererDeps, 'ways'>>): Deliverer;
  /** The deliveries, in the order in which they were made. */
  rows(): Promise<DeliveryRow[]>;
  /** Once every delivery is in `state`. */
  until(state: string): Promise<DeliveryRow[]>;
  /** Once every delivery has ended, in whatever way. */
  untilEnded(): Promise<DeliveryRow[]>;
}

interface Told {
  readonly type?: NotificationType;
  readonly title?: string;
  readonly message?: string;
  readonly data?: Readonly<Record<string, unknown>>;
}

const policyOf = (type: NotificationType, channels: readonly string[]): NotificationPolicy => ({
  enabled: true,
  emailTypes: new Set(channels.includes('email') ? [type] : []),
  webhook: channels.includes('webhook'),
});

const OFF = { off: 'Switched off' };

export const openDeliveryBench = async (): Promise<DeliveryBench> => {
  const resources = new AsyncDisposableStack();
  const database = resources.use(await openTestDatabase());
  const user = await givenUser(database.db);
  const registry = makeRegistry('sync');
  const metrics = makeDeliveryMetrics(registry);
  const rows = async (): Promise<DeliveryRow[]> =>
    (await database.pool.query<DeliveryRow>('select * from deliveries order by created_at, channel, id')).rows;
  const untilAll = (isGood: (row: DeliveryRow) => boolean, description: string): Promise<DeliveryRow[]> =>
    waitFor(
      async () => {
        const all = await rows();
        return all.every(isGood) ? all : undefined;
      },
      { description, limitMs: 20_000 },
    );
  return {
    database,
    user,
    registry,
    tell: async ({ type = 'ocr_failed', title = 'A title', message = 'A message', data = {} } = {}, channels = ['webhook']) =>
      database.db.transaction((tx) => createNotification(tx, policyOf(type, channels), { userId: user.id, type, title, message, data })),
    open: (ways, deps = {}) => {
      const deliverer = new Deliverer({
        db: database.db,
        tracer: NO_TRACER,
        clock: systemClock,
        log: silentLogger(),
        metrics,
        pollMs: 20,
        retryDelaysMs: [20],
        stopMs: 200,
        ...deps,
        ways: { email: constant(ways.email ?? OFF), webhook: constant(ways.webhook ?? OFF) },
      });
      resources.defer(() => deliverer.stop());
      return deliverer;
    },
    rows,
    until: (state) => untilAll((row) => row.state === state, `all deliveries to be ${state}`),
    untilEnded: () => untilAll(({ state }) => state === 'delivered' || state === 'failed', 'all deliveries to end'),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
};

/** By which the receiver is told, with the secret of these tests. */
export const webhookTo = (receiver: WebhookReceiver, timeoutMs = 15_000) =>
  makeWebhookWay({ url: receiver.url, secret: new Secret(WEBHOOK_SECRET), fetch: loopbackFetch(), clock: systemClock, timeoutMs });

export const mailerTo = ({ environment, port }: Pick<MailServer, 'environment' | 'port'>, useTls = false): Mailer =>
  new Mailer({
    host: '127.0.0.1',
    port,
    useTls,
    username: environment['SMTP_USERNAME'] ?? '',
    password: new Secret(environment['SMTP_PASSWORD'] ?? ''),
    from: environment['SMTP_FROM_ADDRESS'] ?? '',
  });

export const emailBy = (server: Pick<MailServer, 'environment' | 'port'>, limitMs?: number) =>
  makeEmailWay({ mailer: mailerTo(server), publicUrl: PUBLIC_URL, ...(limitMs === undefined ? {} : { limitMs }) });
