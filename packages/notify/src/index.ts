export { type Mail, Mailer, type MailSettings } from './mailer.ts';
