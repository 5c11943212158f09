import { Button } from '@mantine/core';
import { IconShare } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { late } from '../../app/late.ts';
import { useTranslate } from '../../language/language.tsx';
import { withLaterMessages } from '../../language/load-translator.ts';

const ShareDialog = late(withLaterMessages(() => import('./share-dialog.tsx')));

/** Opens the dialog that makes a share link for a document. */
export const ShareButton = ({ id, title }: { readonly id: string; readonly title: string }): ReactNode => {
  const t = useTranslate();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconShare size={16} />}
        aria-haspopup="dialog"
        onPointerEnter={ShareDialog.prepare}
        onFocus={ShareDialog.prepare}
        onClick={() => setOpen(true)}
      >
        {t('document.share')}
      </Button>
      {isOpen && <ShareDialog.Part kind="document" id={id} name={title} onClose={() => setOpen(false)} />}
    </>
  );
};
