import { Alert, Skeleton } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useTranslate } from '../../../language/language.tsx';
import type { PageProps } from './page-source.ts';
import { PageWords } from './page-words.tsx';

interface Props extends PageProps {
  readonly documentId: string;
  readonly address: string;
}

/** One page of a picture, with the words that were recognised on it. */
export const PicturePage = ({ documentId, address, page, width, height, label, onRatio, query, onMark }: Props): ReactNode => {
  const t = useTranslate();
  const [state, setState] = useState<'loading' | 'shown' | 'failed'>('loading');
  if (state === 'failed') return <Alert color="yellow">{t('document.previewFailed')}</Alert>;
  return (
    <>
      {state === 'loading' && <Skeleton style={{ position: 'absolute', inset: 0 }} radius={0} />}
      <img
        src={address}
        alt={label}
        style={{ width: '100%', height: '100%', display: 'block' }}
        onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) => {
          setState('shown');
          if (naturalWidth > 0) onRatio(page, naturalHeight / naturalWidth);
        }}
        onError={() => setState('failed')}
      />
      {/* not before the shape of the picture is known, or they would be laid twice */}
      {state === 'shown' && <PageWords documentId={documentId} page={page} width={width} height={height} query={query} onMark={onMark} />}
    </>
  );
};
