import type { ReactNode } from 'react';
import { useTranslate } from '../../language/language.tsx';
import { useEinvoiceAddress } from './einvoice-address.ts';

/** An XML invoice as it is read: the service makes a page of it in which nothing runs. */
export const EinvoicePreview = ({ documentId, version }: { readonly documentId: string; readonly version: string }): ReactNode => {
  const t = useTranslate();
  const address = useEinvoiceAddress(documentId);
  return (
    <iframe
      key={version}
      src={address}
      title={t('einvoice.view')}
      sandbox=""
      style={{ width: '100%', height: '80vh', border: '1px solid var(--mantine-color-default-border)', borderRadius: 6 }}
    />
  );
};
