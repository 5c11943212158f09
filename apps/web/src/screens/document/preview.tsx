import { Alert, Box } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useTranslate } from '../../language/language.tsx';
import type { Document } from './document-facts.tsx';
import { PdfView } from './pdf-view.tsx';

const LARGEST_PX = 1_600;
/** What every browser shows; of other pictures the service makes one. */
const SHOWN_BY_BROWSERS: ReadonlySet<string> = new Set(['image/png', 'image/jpeg']);

const Picture = ({ document }: { readonly document: Document }): ReactNode => {
  const t = useTranslate();
  const [hasFailed, setFailed] = useState(false);
  const address = SHOWN_BY_BROWSERS.has(document.mime_type)
    ? `/api/documents/${document.id}/download?inline=true`
    : `/api/documents/${document.id}/thumbnail?width=${LARGEST_PX}&height=${LARGEST_PX}`;
  if (hasFailed) return <Alert color="yellow">{t('document.previewFailed')}</Alert>;
  return (
    <Box mah="calc(100vh - 190px)" tabIndex={0} role="group" aria-label={t('document.preview')} style={{ overflow: 'auto' }}>
      <img
        src={address}
        alt={document.title}
        style={{ maxWidth: '100%', display: 'block', borderRadius: 8 }}
        onError={() => setFailed(true)}
      />
    </Box>
  );
};

/** Whether there is anything to see beside the text. */
export const hasPreview = ({ mime_type: type }: Document): boolean => type !== 'text/plain';

interface Props {
  readonly document: Document;
  readonly page: number;
  readonly onPage: (page: number) => void;
  /** What was looked for, to be marked. */
  readonly query: string;
}

/** What the document looks like: a picture, or the pages of a PDF; office documents as the PDF that was made of them. */
export const Preview = ({ document, page, onPage, query }: Props): ReactNode =>
  document.mime_type.startsWith('image/') ? (
    <Picture document={document} />
  ) : (
    <PdfView url={`/api/documents/${document.id}/preview`} page={page} onPage={onPage} query={query} />
  );
