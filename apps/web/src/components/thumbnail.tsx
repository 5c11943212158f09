import type { DocumentStatus } from '@sheaf/vocabulary/documents';
import { findKindByMimeType } from '@sheaf/vocabulary/file-kinds';
import {
  IconFile,
  IconFileSpreadsheet,
  IconFileText,
  IconFileTypePdf,
  IconFileTypeTxt,
  IconPhoto,
  IconPresentation,
} from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';

/** The address of the picture of a page that fits into a square of `sizePx`; the service stores those of 200, 400, 800, 1,600 and 2,000 pixels. */
export const pagePicture = (documentId: string, page: number, sizePx: number): string =>
  `/api/documents/${documentId}/thumbnail?width=${sizePx}&height=${sizePx}${page === 1 ? '' : `&page=${page}`}`;

const iconOf = (mimeType: string): typeof IconFile => {
  if (mimeType === 'application/pdf') return IconFileTypePdf;
  if (mimeType === 'text/plain') return IconFileTypeTxt;
  if (mimeType.startsWith('image/')) return IconPhoto;
  if (/sheet|excel/.test(mimeType)) return IconFileSpreadsheet;
  if (/presentation|powerpoint/.test(mimeType)) return IconPresentation;
  return IconFileText;
};

const A4 = 1.3;
/** Frames that the service stores; sharp on fine screens too. */
const SMALL_PX = 200;
const LARGE_PX = 400;

const mayHavePicture = (mimeType: string, status: DocumentStatus | undefined): boolean => {
  if (status === 'failed') return false;
  return status === undefined || status === 'completed' || findKindByMimeType(mimeType)?.family !== 'office';
};

interface Props {
  readonly id: string;
  readonly mimeType: string;
  /** Its width in pixels; it is a third higher. */
  readonly size: number;
  /** Changes with the content, so that a new picture is fetched. */
  readonly version?: string;
  /** Of the document, where it is known: of what was not read, or not converted yet, there is no picture to be asked for. */
  readonly status?: DocumentStatus;
}

/** A small picture of a document's first page, or a sign of its kind where there is none. Says nothing: the name stands beside it. */
export const Thumbnail = ({ id, mimeType, size, version = '', status }: Props): ReactNode => {
  const [failed, setFailed] = useState<string>();
  const height = Math.round(size * A4);
  const frame = height <= SMALL_PX / 2 ? SMALL_PX : LARGE_PX;
  const address = `/api/documents/${id}/thumbnail?width=${frame}&height=${frame}`;
  const Icon = iconOf(mimeType);
  const hasPicture = failed !== `${id} ${version}` && mayHavePicture(mimeType, status);
  return (
    <span
      className="document-picture"
      style={{
        width: size,
        height,
        display: 'grid',
        placeItems: 'center',
        flex: 'none',
        background: 'var(--mantine-color-default-hover)',
        borderRadius: 6,
        overflow: 'hidden',
        border: '1px solid var(--mantine-color-default-border)',
      }}
    >
      {hasPicture ? (
        <img
          src={address}
          alt=""
          loading="lazy"
          decoding="async"
          width={size}
          height={height}
          style={{ objectFit: 'cover', objectPosition: 'top', width: '100%', height: '100%' }}
          onError={() => setFailed(`${id} ${version}`)}
        />
      ) : (
        <Icon size={Math.min(40, size / 2)} stroke={1.3} color="var(--mantine-color-dimmed)" aria-hidden />
      )}
    </span>
  );
};
