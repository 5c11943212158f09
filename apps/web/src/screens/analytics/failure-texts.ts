import type { FailureReason } from '@sheaf/contract';
import { defineTexts } from '../../language/texts.ts';

type Words = Readonly<Record<FailureReason, string>>;

/** Why documents could not be read, in a few words. */
export const failureTexts = defineTexts<Words>({
  en: {
    encrypted: 'protected by a password',
    corrupt: 'damaged',
    unsupported: 'of a kind that cannot be read',
    too_large: 'too large',
    unpacks_too_large: 'would unpack to too much',
    too_many_pages: 'too many pages',
    timeout: 'took too long',
    tool_missing: 'a program is missing',
    language_missing: 'the language is missing',
    ocr_refused: 'refused by the cloud service',
    ocr_unavailable: 'cloud service away',
    memory_exceeded: 'too much memory',
    reader_died: 'ended the reader',
    storage: 'the stored file was away',
    no_readable_page: 'no page could be read',
    internal: 'error of the service',
    cancelled: 'cancelled',
  },
  de: {
    encrypted: 'mit Passwort geschützt',
    corrupt: 'beschädigt',
    unsupported: 'von einer Art, die nicht gelesen wird',
    too_large: 'zu groß',
    unpacks_too_large: 'würde beim Entpacken zu groß',
    too_many_pages: 'zu viele Seiten',
    timeout: 'dauerte zu lange',
    tool_missing: 'ein Programm fehlt',
    language_missing: 'die Sprache fehlt',
    ocr_refused: 'vom Cloud-Dienst abgelehnt',
    ocr_unavailable: 'Cloud-Dienst nicht erreichbar',
    memory_exceeded: 'zu viel Arbeitsspeicher',
    reader_died: 'beendete den Leser',
    storage: 'die gespeicherte Datei war nicht da',
    no_readable_page: 'keine Seite war lesbar',
    internal: 'Fehler des Dienstes',
    cancelled: 'abgebrochen',
  },
});
