import type { LedgerReasonCode } from '@sheaf/contract';
import type { Language } from '../language/texts.ts';
import { errorWords } from './error-words.ts';
import { sourceWords } from './source-words.ts';
import type { Words, WordsByCode } from './words.ts';

/** What whoever sends a file is answered as well. */
const answered = (language: Language) => {
  const { too_large, empty, unknown_type, type_not_allowed, type_mismatch, type_check_failed, ...others } = errorWords[language];
  const { duplicate_file, duplicate_file_read_again, duplicate_just_deleted, too_many_files, unknown_labels } = others;
  const refused = { too_large, empty, unknown_type, type_not_allowed, type_mismatch, type_check_failed, too_many_files, unknown_labels };
  return { ...refused, duplicate_file, duplicate_file_read_again, duplicate_just_deleted };
};

/** What the source said stands in its own words behind ours. */
const bySource =
  (words: Readonly<Record<string, Words>>): Words =>
  ({ problem }) => {
    const said = typeof problem === 'string' && Object.hasOwn(words, problem) ? words[problem] : undefined;
    return typeof said === 'string' ? `${said}: {error}` : '{error}';
  };

/** Why a file is in the state that the ledger gives it. */
export const ledgerWords: WordsByCode<LedgerReasonCode> = {
  en: {
    ...answered('en'),
    ignored_name: 'Its name matches the ignore pattern {pattern}',
    unwanted_name: 'Its name matches none of the patterns',
    too_old: 'Last modified {modified_at}, longer ago than {max_age_seconds}',
    symbolic_link: 'A symbolic link is not followed; put the file itself there',
    hard_link: 'It has a second name somewhere (a hard link), so it may be the file of someone else; put a copy there',
    not_a_file: 'Not a regular file',
    outside_folder: 'It lies outside the watch folder',
    quarantined: 'In quarantine until the file changes: inspecting it crashed the service {crashes} times',
    being_written: 'It is still being written',
    write_locked: 'Another program has locked it for writing',
    no_right: 'It cannot be read: this service has no right to read it; give it that right',
    kept_by_another: 'It cannot be read: another program keeps it to itself',
    unreadable: 'It cannot be read: {error}',
    not_read_to_end: 'It could not be read to its end: {error}',
    queue_full: 'As many documents wait to be read as may (OCR_QUEUE_SIZE); it is taken in when there are fewer',
    storage_away: 'It could not be stored: {error}',
    no_owner_yet: 'No administrator exists yet who could own it',
    owner_unknown: 'The user {username}, who is to own it, does not exist',
    owner_disabled: 'The user {username}, whose directory this is, is disabled',
    gone_while_waiting: 'It was gone before it could be taken in',
    document_deleted: 'This very file was taken in before, and its document was deleted since; upload it to have it again',
    document_deleted_of: 'This very file was taken in before as {path}, and its document was deleted since; upload it to have it again',
    incomplete: 'The file ended before it was complete; send it again',
    broken_off: 'The sender broke off before the file was taken in; send it again',
    queue_was_full: '{limit} documents waited to be read, and no more may (OCR_QUEUE_SIZE); send the file again later',
    request_refused: 'It was not taken in: {error}',
    database_away: 'The database could not be reached; send the file again',
    server_error: 'Something went wrong on the server; it has been logged',
    moved_from: 'Moved from {path}',
    moved_to: 'Moved to {path}',
    gone_at_source: 'It is gone at the source',
    deleted_with_source: 'It is gone at the source, and its document was deleted here',
    changed_while_fetched: 'It changed while it was fetched',
    source_failed: bySource({}),
    path_part_empty: 'A part of its path is empty',
    path_with_dots: 'A part of its path is {part}',
    path_with_slash: 'A name holds a slash',
    control_characters: 'Its path holds control characters',
    not_unicode: 'Its name is no valid Unicode',
    badly_encoded: 'Its address is not properly encoded',
    another_server: 'It is on another server',
    address_not_absolute: 'Its address is no absolute one',
    address_not_web: 'Its address is not one of the web',
    outside_source: 'It is outside the folder of the source',
    folder_not_found: 'The server names the folder and does not find it',
    folder_forbidden: 'The user of the source may not list the folder',
    folder_unreadable: 'This service has no right to read it, or the file system fails',
    not_shown: 'The server does not show it ({status})',
  },
  de: {
    ...answered('de'),
    ignored_name: 'Ihr Name passt zu dem Muster {pattern}, nach dem Dateien übergangen werden',
    unwanted_name: 'Ihr Name passt zu keinem der Muster',
    too_old: 'Zuletzt geändert am {modified_at}, und das ist länger her als {max_age_seconds}',
    symbolic_link: 'Einem symbolischen Link wird nicht gefolgt; legen Sie die Datei selbst dorthin',
    hard_link: 'Sie hat anderswo einen zweiten Namen (einen Hardlink) und könnte einem anderen gehören; legen Sie eine Kopie dorthin',
    not_a_file: 'Das ist keine gewöhnliche Datei',
    outside_folder: 'Sie liegt außerhalb des überwachten Ordners',
    quarantined: 'In Quarantäne, bis sich die Datei ändert: Ihre Prüfung hat den Dienst {crashes}-mal zum Absturz gebracht',
    being_written: 'Sie wird noch geschrieben',
    write_locked: 'Ein anderes Programm hat sie zum Schreiben gesperrt',
    no_right: 'Sie kann nicht gelesen werden: Dieser Dienst hat kein Recht dazu; geben Sie ihm das Recht',
    kept_by_another: 'Sie kann nicht gelesen werden: Ein anderes Programm gibt sie nicht frei',
    unreadable: 'Sie kann nicht gelesen werden: {error}',
    not_read_to_end: 'Sie konnte nicht bis zum Ende gelesen werden: {error}',
    queue_full:
      'So viele Dokumente, wie es dürfen, warten darauf, gelesen zu werden (OCR_QUEUE_SIZE); sie wird aufgenommen, wenn es weniger sind',
    storage_away: 'Sie konnte nicht gespeichert werden: {error}',
    no_owner_yet: 'Es gibt noch keinen Administrator, dem sie gehören könnte',
    owner_unknown: 'Den Benutzer {username}, dem sie gehören soll, gibt es nicht',
    owner_disabled: 'Der Benutzer {username}, dem dieser Ordner gehört, ist gesperrt',
    gone_while_waiting: 'Sie war verschwunden, bevor sie aufgenommen werden konnte',
    document_deleted:
      'Genau diese Datei wurde schon einmal aufgenommen, und ihr Dokument wurde seither gelöscht; laden Sie sie hoch, um es wieder zu haben',
    document_deleted_of:
      'Genau diese Datei wurde schon einmal als {path} aufgenommen, und ihr Dokument wurde seither gelöscht; laden Sie sie hoch, um es wieder zu haben',
    incomplete: 'Die Datei war zu Ende, bevor sie vollständig war; senden Sie sie noch einmal',
    broken_off: 'Der Absender brach ab, bevor die Datei aufgenommen war; senden Sie sie noch einmal',
    queue_was_full:
      '{limit} Dokumente warteten darauf, gelesen zu werden, und mehr dürfen es nicht sein (OCR_QUEUE_SIZE); senden Sie die Datei später noch einmal',
    request_refused: 'Sie wurde nicht aufgenommen: {error}',
    database_away: 'Die Datenbank war nicht erreichbar; senden Sie die Datei noch einmal',
    server_error: 'Auf dem Server ist etwas schiefgegangen; es steht im Protokoll',
    moved_from: 'Verschoben, vorher {path}',
    moved_to: 'Verschoben nach {path}',
    gone_at_source: 'An der Quelle gibt es sie nicht mehr',
    deleted_with_source: 'An der Quelle gibt es sie nicht mehr, und ihr Dokument wurde hier gelöscht',
    changed_while_fetched: 'Sie änderte sich, während sie geholt wurde',
    source_failed: bySource(sourceWords.de),
    path_part_empty: 'Ein Teil ihres Pfades ist leer',
    path_with_dots: 'Ein Teil ihres Pfades ist {part}',
    path_with_slash: 'Ein Name enthält einen Schrägstrich',
    control_characters: 'Ihr Pfad enthält Steuerzeichen',
    not_unicode: 'Ihr Name ist kein gültiges Unicode',
    badly_encoded: 'Ihre Adresse ist nicht richtig kodiert',
    another_server: 'Sie liegt auf einem anderen Server',
    address_not_absolute: 'Ihre Adresse ist nicht absolut',
    address_not_web: 'Ihre Adresse ist keine des Webs',
    outside_source: 'Sie liegt außerhalb des Ordners der Quelle',
    folder_not_found: 'Der Server nennt den Ordner und findet ihn nicht',
    folder_forbidden: 'Der Benutzer der Quelle darf den Ordner nicht auflisten',
    folder_unreadable: 'Dieser Dienst hat kein Recht, das zu lesen, oder das Dateisystem versagt',
    not_shown: 'Der Server zeigt sie nicht ({status})',
  },
};
