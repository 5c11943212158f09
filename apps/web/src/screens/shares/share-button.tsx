import { IconShare } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { late } from '../../app/late.ts';
import { DialogButton } from '../../components/buttons.tsx';
import { useTranslate } from '../../language/language.tsx';
import { withLaterMessages } from '../../language/load-translator.ts';

const ShareDialog = late(withLaterMessages(() => import('./share-dialog.tsx')));

/** Opens the dialog that makes a share link for a document. */
export const ShareButton = ({ id, title }: { readonly id: string; readonly title: string }): ReactNode => {
  const t = useTranslate();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <DialogButton dialog={ShareDialog} leftSection={<IconShare size={16} />} onClick={() => setOpen(true)}>
        {t('document.share')}
      </DialogButton>
      {isOpen && <ShareDialog.Part kind="document" id={id} name={title} onClose={() => setOpen(false)} />}
    </>
  );
};
