import type { NotificationType, SecurityNotice } from '@sheaf/contract';
import type { Details, Words, WordsByCode } from './words.ts';

const several =
  (one: string, many: string): Words =>
  (details: Details) =>
    typeof details['count'] === 'number' ? many : one;

const byLevel =
  (info: string, warning: string, critical: string): Words =>
  ({ level }) =>
    level === 'info' ? info : level === 'critical' ? critical : warning;

/** What a notification is called, by its type. Those of security are called after what happened. */
export const notificationTitles: WordsByCode<NotificationType> = {
  en: {
    ocr_completed: several('A document was read', '{count} documents were read'),
    ocr_failed: 'A document could not be read',
    sync_completed: 'Sync of {name} completed',
    sync_failed: 'Sync of {name} failed',
    duplicate_skipped: several('A file was skipped', '{count} files were skipped'),
    alert: byLevel('Works again', 'Something needs attention', 'Something does not work'),
    security: null,
  },
  de: {
    ocr_completed: several('Ein Dokument wurde gelesen', '{count} Dokumente wurden gelesen'),
    ocr_failed: 'Ein Dokument konnte nicht gelesen werden',
    sync_completed: 'Von {name} wurde geholt',
    sync_failed: 'Das Holen von {name} ist gescheitert',
    duplicate_skipped: several('Eine Datei wurde übersprungen', '{count} Dateien wurden übersprungen'),
    alert: byLevel('Funktioniert wieder', 'Etwas braucht Aufmerksamkeit', 'Etwas funktioniert nicht'),
    security: null,
  },
};

/** What happened to an account. */
export const securityTitles: WordsByCode<SecurityNotice> = {
  en: {
    'password.changed': 'Your password was changed',
    'mfa.enabled': 'A second factor was added: {name}',
    'mfa.removed': 'A second factor was removed: {name}',
    'mfa.recovery_codes_made': 'New recovery codes were made; the old ones are void',
    'mfa.recovery_used': 'A recovery code was used to sign in',
    'mfa.clone_suspected': 'A security key was refused: there may be a copy of it',
    'key.created': 'An API key was made: {name}',
    'session.refresh_reused': 'A session was ended, as its token was used twice',
    sign_in: 'Sign-in was locked for a while after too many failed attempts',
    'user.updated': 'Your e-mail address was changed',
  },
  de: {
    'password.changed': 'Ihr Passwort wurde geändert',
    'mfa.enabled': 'Ein zweiter Faktor ist dazugekommen: {name}',
    'mfa.removed': 'Ein zweiter Faktor wurde entfernt: {name}',
    'mfa.recovery_codes_made': 'Neue Wiederherstellungscodes wurden erzeugt; die alten gelten nicht mehr',
    'mfa.recovery_used': 'Mit einem Wiederherstellungscode hat sich jemand angemeldet',
    'mfa.clone_suspected': 'Ein Sicherheitsschlüssel wurde abgelehnt: Vielleicht gibt es eine Kopie davon',
    'key.created': 'Ein API-Schlüssel wurde erzeugt: {name}',
    'session.refresh_reused': 'Eine Sitzung wurde beendet, weil ihr Schlüssel zweimal benutzt wurde',
    sign_in: 'Die Anmeldung war nach zu vielen Fehlversuchen eine Weile gesperrt',
    'user.updated': 'Ihre E-Mail-Adresse wurde geändert',
  },
};

const OUTCOMES = ['added', 'updated', 'moved', 'removed', 'failed'] as const;
type Outcome = (typeof OUTCOMES)[number];

/** What a run did, of what there was some. */
const outcomes =
  (words: Readonly<Record<Outcome, string>>, nothing: string, looked: string): Words =>
  (details) => {
    const parts = OUTCOMES.filter((outcome) => details[outcome] !== 0).map((outcome) => `{${outcome}} ${words[outcome]}`);
    return `${parts.length === 0 ? nothing : parts.join(', ')}; ${looked}`;
  };

const read =
  (last: string, done: string, doubtful: (share: string) => string): Words =>
  ({ count, needs_attention: isDoubtful, confidence }) =>
    `${typeof count === 'number' ? last : ''}${done}${isDoubtful === true ? doubtful(typeof confidence === 'number' ? ' ({confidence})' : '') : ''}`;

const unread: Words = ({ error }) => (error === undefined ? '{title}: {reason}' : '{title}: {reason} ({error})');

const security =
  (from: string, advice: string, byOthers: string): Words =>
  ({ by_others: isByOthers, address }) =>
    isByOthers === undefined ? null : isByOthers === true ? byOthers : `${typeof address === 'string' ? from : ''}${advice}`;

/** What a notification tells, by its type; null where the service's own words tell more. */
export const notificationMessages: WordsByCode<NotificationType> = {
  en: {
    ocr_completed: read(
      'The last of them: ',
      '{title} can be searched now.',
      (share) => ` Its text is doubtful${share}; have a look, or try another language.`,
    ),
    ocr_failed: unread,
    sync_completed: outcomes(
      { added: 'new', updated: 'changed', moved: 'moved', removed: 'gone', failed: 'failed' },
      'Nothing changed',
      '{total} files looked at.',
    ),
    sync_failed: '{code}. {error}',
    duplicate_skipped: '{filename}: {reason}',
    alert: null,
    security: security(
      'From the address {address}. ',
      'If that was not you, change your password, end your other sessions, and tell whoever looks after this service.',
      'Somebody who looks after the users of this service did it. If you did not expect that, ask whoever that is.',
    ),
  },
  de: {
    ocr_completed: read(
      'Als letztes: ',
      '{title} kann jetzt durchsucht werden.',
      (share) => ` Der Text ist zweifelhaft${share}; sehen Sie ihn sich an, oder versuchen Sie eine andere Sprache.`,
    ),
    ocr_failed: unread,
    sync_completed: outcomes(
      { added: 'neu', updated: 'geändert', moved: 'verschoben', removed: 'verschwunden', failed: 'gescheitert' },
      'Nichts hat sich geändert',
      '{total} Dateien angesehen.',
    ),
    sync_failed: '{code}. {error}',
    duplicate_skipped: '{filename}: {reason}',
    alert: null,
    security: security(
      'Von der Adresse {address}. ',
      'Wenn Sie das nicht waren, ändern Sie Ihr Passwort, beenden Sie Ihre anderen Sitzungen, und sagen Sie es dem, der diesen Dienst betreut.',
      'Jemand, der die Benutzer dieses Dienstes betreut, hat das getan. Wenn Sie das nicht erwartet haben, fragen Sie ihn.',
    ),
  },
};
