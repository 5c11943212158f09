import type { SourceFinding, SourceProblem } from '@sheaf/contract';
import type { WordsByCode } from './words.ts';

/** How a source is. Of what is wrong the service says more: which server, and what it answered. */
export const sourceWords: WordsByCode<SourceProblem | SourceFinding> = {
  en: {
    unauthorized: 'The source refuses access',
    not_found: 'The folder of the source is not there',
    unreachable: 'The source cannot be reached',
    changed: 'A file at the source changed while it was fetched',
    timeout: 'The source gives no answer in time',
    throttled: 'The source asks to be left alone for a while',
    server_error: 'The source reports an error of its own',
    protocol: 'The source answers in a way that makes no sense',
    too_large: 'The source has more, or longer names, than can be taken in',
    refused: 'This service does not call the address of the source',
    failed: 'The run over the source failed',
    reachable: 'It can be reached',
    answers: 'The source answers',
    no_files: 'The source answers, and has no files',
    slow_listing: 'The source answers, and takes its time to list its files',
    not_checked: 'It was not checked yet',
    switched_off: 'It is switched off',
  },
  de: {
    unauthorized: 'Die Quelle verweigert den Zugang',
    not_found: 'Den Ordner der Quelle gibt es nicht',
    unreachable: 'Die Quelle ist nicht zu erreichen',
    changed: 'Eine Datei der Quelle änderte sich, während sie geholt wurde',
    timeout: 'Die Quelle antwortet nicht rechtzeitig',
    throttled: 'Die Quelle bittet darum, eine Weile nicht gefragt zu werden',
    server_error: 'Die Quelle meldet einen eigenen Fehler',
    protocol: 'Die Quelle antwortet auf eine Weise, die keinen Sinn ergibt',
    too_large: 'Die Quelle enthält mehr, als aufgenommen werden kann, oder zu lange Namen',
    refused: 'Dieser Dienst ruft die Adresse der Quelle nicht auf',
    failed: 'Das Holen von der Quelle ist gescheitert',
    reachable: 'Sie ist erreichbar',
    answers: 'Die Quelle antwortet',
    no_files: 'Die Quelle antwortet und hat keine Dateien',
    slow_listing: 'Die Quelle antwortet und lässt sich Zeit, ihre Dateien zu nennen',
    not_checked: 'Sie wurde noch nicht geprüft',
    switched_off: 'Sie ist abgeschaltet',
  },
};
