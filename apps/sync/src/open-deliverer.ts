import { Deliverer, type DelivererDeps, type DeliveryWays, Mailer, makeDeliveryMetrics, makeEmailWay, makeWebhookWay } from '@sheaf/notify';
import type { ProgramContext } from '@sheaf/program';
import type { GuardedFetch } from '@sheaf/runtime';

type Context = Pick<ProgramContext, 'config' | 'database' | 'clock' | 'log' | 'registry'>;

/** Why nothing leaves by any channel, where that is so. */
const whyNothing = ({ config }: Context): string | undefined => {
  if (!config.features.notifications) return 'Notifications are switched off (FEATURE_NOTIFICATIONS=false)';
  return config.notifications.policy.enabled ? undefined : 'Notifications are switched off (NOTIFICATIONS_ENABLED=false)';
};

const emailOf = (context: Context): DeliveryWays['email'] => {
  const { notifications, mail, publicUrl } = context.config;
  const off = whyNothing(context);
  if (off !== undefined) return { off };
  if (!notifications.emailEnabled || mail === undefined) return { off: 'E-mail is switched off (EMAIL_ENABLED=false)' };
  return makeEmailWay({ mailer: new Mailer(mail), publicUrl });
};

const webhookOf = (context: Context, fetch: GuardedFetch): DeliveryWays['webhook'] => {
  const { webhook } = context.config.notifications;
  const off = whyNothing(context) ?? (webhook === undefined ? 'Webhooks are switched off (WEBHOOK_ENABLED=false)' : undefined);
  return off === undefined && webhook !== undefined ? makeWebhookWay({ ...webhook, fetch, clock: context.clock }) : { off: off ?? '' };
};

/** What sends notifications by mail and webhook, from the settings. */
export const openDeliverer = (
  context: Context,
  fetch: GuardedFetch,
  times: Pick<DelivererDeps, 'leaseMs' | 'pollMs' | 'retryDelaysMs' | 'stopMs'> = {},
): Deliverer =>
  new Deliverer({
    db: context.database.db,
    ways: { email: emailOf(context), webhook: webhookOf(context, fetch) },
    clock: context.clock,
    log: context.log,
    metrics: makeDeliveryMetrics(context.registry),
    ...times,
  });
