import type { Config } from '@sheaf/config';
import {
  type ChannelOff,
  Deliverer,
  type DelivererDeps,
  type DeliveryWay,
  type DeliveryWays,
  Mailer,
  makeDeliveryMetrics,
  makeEmailWay,
  makeWebhookWay,
} from '@sheaf/events/notifications';
import type { GuardedFetch } from '@sheaf/outbound';
import { type Clock, type Live, select } from '@sheaf/process';
import type { ProgramContext } from '@sheaf/program';

type Context = Pick<ProgramContext, 'database' | 'clock' | 'log' | 'registry' | 'tracer'> & { readonly settings: Live<Config> };

/** Why nothing leaves by any channel, where that is so. */
const whyNothing = (config: Config): string | undefined => {
  if (!config.features.notifications) return 'Notifications are disabled (FEATURE_NOTIFICATIONS=false).';
  return config.notifications.policy.enabled ? undefined : 'Notifications are disabled (NOTIFICATIONS_ENABLED=false).';
};

const emailOf = (config: Config): DeliveryWay | ChannelOff => {
  const { notifications, mail, publicUrl } = config;
  const off = whyNothing(config);
  if (off !== undefined) return { off };
  if (!notifications.emailEnabled || mail === undefined) return { off: 'E-mail is disabled (EMAIL_ENABLED=false).' };
  return makeEmailWay({ mailer: new Mailer(mail), publicUrl });
};

const webhookOf = (config: Config, fetch: GuardedFetch, clock: Clock): DeliveryWay | ChannelOff => {
  const { webhook } = config.notifications;
  const off = whyNothing(config) ?? (webhook === undefined ? 'Webhooks are disabled (WEBHOOK_ENABLED=false).' : undefined);
  return off === undefined && webhook !== undefined ? makeWebhookWay({ ...webhook, fetch, clock }) : { off: off ?? '' };
};

const ways = ({ settings, clock }: Context, fetch: GuardedFetch): DeliveryWays => ({
  email: select(settings, emailOf),
  webhook: select(settings, (config) => webhookOf(config, fetch, clock)),
});

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
