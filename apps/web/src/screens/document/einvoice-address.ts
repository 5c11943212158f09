import { useLanguage } from '../../language/language.tsx';

/** Where the readable form of an e-invoice is, in the reader's language as far as there is one. */
export const useEinvoiceAddress = (documentId: string): string =>
  `/api/documents/${documentId}/einvoice/view?language=${useLanguage() === 'de' ? 'de' : 'en'}`;
