import {
  Deliverer,
  type DelivererDeps,
  type DeliveryWays,
  Mailer,
  makeDeliveryMetrics,
  makeEmailWay,
  makeWebhookWay,
} from '@sheaf/notifications';
import type { GuardedFetch } from '@sheaf/outbound';
import type { Clock } from '@sheaf/process';
import type { ProgramContext } from '@sheaf/program';

type Config = ProgramContext['config'];
type Context = Pick<ProgramContext, 'database' | 'clock' | 'log' | 'registry' | 'tracer'> & {
  readonly feed: Pick<ProgramContext['feed'], 'settings'>;
};

/** Why nothing leaves by any channel, where that is so. */
const whyNothing = (config: Config): string | undefined => {
  if (!config.features.notifications) return 'Notifications are disabled (FEATURE_NOTIFICATIONS=false).';
  return config.notifications.policy.enabled ? undefined : 'Notifications are disabled (NOTIFICATIONS_ENABLED=false).';
};

const emailOf = (config: Config): DeliveryWays['email'] => {
  const { notifications, mail, publicUrl } = config;
  const off = whyNothing(config);
  if (off !== undefined) return { off };
  if (!notifications.emailEnabled || mail === undefined) return { off: 'E-mail is disabled (EMAIL_ENABLED=false).' };
  return makeEmailWay({ mailer: new Mailer(mail), publicUrl });
};

const webhookOf = (config: Config, fetch: GuardedFetch, clock: Clock): DeliveryWays['webhook'] => {
  const { webhook } = config.notifications;
  const off = whyNothing(config) ?? (webhook === undefined ? 'Webhooks are disabled (WEBHOOK_ENABLED=false).' : undefined);
  return off === undefined && webhook !== undefined ? makeWebhookWay({ ...webhook, fetch, clock }) : { off: off ?? '' };
};

/** Channels are switched on and off while the process runs. */
const ways = ({ feed: { settings }, clock }: Context, fetch: GuardedFetch): (() => DeliveryWays) => {
  const make = (config: Config): DeliveryWays => ({ email: emailOf(config), webhook: webhookOf(config, fetch, clock) });
  let made = make(settings.current());
  settings.onChange((config) => {
    made = make(config);
  });
  return () => made;
};

/** What sends notifications by mail and webhook, from the settings. */
export const openDeliverer = (
  context: Context,
  fetch: GuardedFetch,
  times: Pick<DelivererDeps, 'leaseMs' | 'pollMs' | 'retryDelaysMs' | 'stopMs'> = {},
): Deliverer =>
  new Deliverer({
    db: context.database.db,
    ways: ways(context, fetch),
    tracer: context.tracer,
    clock: context.clock,
    log: context.log,
    metrics: makeDeliveryMetrics(context.registry),
    ...times,
  });
