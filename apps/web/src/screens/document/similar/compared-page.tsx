import { Skeleton, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { pagePicture } from '../../../interface/page-picture.ts';
import { useCall } from '../../../interface/use-call.ts';
import { useFormat, useTranslate } from '../../../language/language.tsx';
import type { Document } from '../document-facts.tsx';

const SIZE_PX = 1_600;

interface Props {
  readonly document: Document;
  readonly page: number;
}

/** The text of a page that has no picture. */
const PageContent = ({ document: { id }, page }: Props): ReactNode => {
  const t = useTranslate();
  const { data } = useCall('get /api/documents/{id}/pages', { params: { id }, query: { from: page, to: page } });
  if (data === undefined) return <Skeleton height={240} />;
  const content = data.pages[0]?.content ?? '';
  return (
    <Text size="sm" p="sm" className="stranger" style={{ whiteSpace: 'pre-wrap' }}>
      {content.trim() === '' ? t('document.noText') : content}
    </Text>
  );
};

/** A page of one of two documents: its picture, its text where it has none. */
export const ComparedPage = ({ document, page }: Props): ReactNode => {
  const t = useTranslate();
  const format = useFormat();
  const [state, setState] = useState<'loading' | 'shown' | 'failed'>('loading');
  const number = format.number(page);
  const label = t('similar.pageOf', { number, title: document.title });
  const isMissing = page > Math.max(1, document.page_count ?? 1);
  return (
    <div className="pair-page">
      {isMissing ? (
        <Text c="dimmed" size="sm" p="sm">
          {t('similar.noPage', { number })}
        </Text>
      ) : state === 'failed' ? (
        <PageContent document={document} page={page} />
      ) : (
        <>
          {state === 'loading' && <Skeleton className="pair-waiting" radius={0} />}
          <img
            src={pagePicture(document.id, page, SIZE_PX)}
            alt={label}
            hidden={state === 'loading'}
            onLoad={() => setState('shown')}
            onError={() => setState('failed')}
          />
        </>
      )}
    </div>
  );
};
