import type { FailureReason } from '@sheaf/contract';
import type { WordsByCode } from './words.ts';

/** Why a document could not be read, and what can be done. In English they are the service's own, which a test holds together. */
export const failureWords: WordsByCode<FailureReason> = {
  en: {
    encrypted: 'The file is protected by a password; remove the protection and upload it again',
    corrupt: 'The file is damaged and cannot be opened',
    unsupported: 'Files of this kind cannot be read',
    too_large: 'The file is larger than this service reads; it is kept but not indexed',
    unpacks_too_large: 'The file would unpack to far more than a document needs, so it was not opened',
    too_many_pages: 'The file has more pages than this service reads',
    timeout: 'Reading took longer than the time limit',
    tool_missing: 'A program that is needed to read this kind of file is not installed',
    language_missing: 'The language data for recognition is not installed',
    ocr_refused: 'The cloud recognition service refuses this service; an administrator must check CLOUD_OCR_ENDPOINT and CLOUD_OCR_KEY',
    ocr_unavailable: 'The cloud recognition service could not be reached',
    memory_exceeded: 'Processing this file takes more memory than this service may use; an administrator can raise MEMORY_LIMIT_MB',
    reader_died: 'Reading this file ended the reader program each time it was tried',
    storage: 'The stored file could not be read back',
    no_readable_page: 'No page of the file could be read',
    internal: 'Reading failed by an error of the service; it has been logged',
    cancelled: 'Reading was cancelled',
  },
  de: {
    encrypted: 'Die Datei ist mit einem Passwort geschützt; entfernen Sie den Schutz und laden Sie sie noch einmal hoch',
    corrupt: 'Die Datei ist beschädigt und lässt sich nicht öffnen',
    unsupported: 'Dateien dieser Art können nicht gelesen werden',
    too_large: 'Die Datei ist größer, als dieser Dienst liest; sie wird aufbewahrt, aber ihr Inhalt wird nicht gefunden',
    unpacks_too_large: 'Die Datei würde beim Entpacken weit größer, als ein Dokument es braucht; deshalb wurde sie nicht geöffnet',
    too_many_pages: 'Die Datei hat mehr Seiten, als dieser Dienst liest',
    timeout: 'Das Lesen dauerte länger als erlaubt',
    tool_missing: 'Ein Programm, das für Dateien dieser Art gebraucht wird, ist nicht installiert',
    language_missing: 'Die Daten der Sprache sind für die Texterkennung nicht installiert',
    ocr_refused:
      'Die Texterkennung in der Cloud lehnt diesen Dienst ab; ein Administrator muss CLOUD_OCR_ENDPOINT und CLOUD_OCR_KEY prüfen',
    ocr_unavailable: 'Die Texterkennung in der Cloud war nicht zu erreichen',
    memory_exceeded:
      'Die Verarbeitung dieser Datei braucht mehr Arbeitsspeicher, als der Dienst nutzen darf; ein Administrator kann MEMORY_LIMIT_MB erhöhen',
    reader_died: 'Das Lesen dieser Datei hat das Leseprogramm jedes Mal beendet',
    storage: 'Die gespeicherte Datei ließ sich nicht zurücklesen',
    no_readable_page: 'Keine Seite der Datei war lesbar',
    internal: 'Das Lesen scheiterte an einem Fehler des Dienstes; er steht im Protokoll',
    cancelled: 'Das Lesen wurde abgebrochen',
  },
};
