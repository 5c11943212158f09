import { Kbd, Table } from '@mantine/core';
import type { ReactNode } from 'react';
import { Dialog } from '../components/dialog.tsx';
import { useTranslate } from '../language/language.tsx';

const KEYS = [
  ['/', 'search'],
  ['j k ↓ ↑', 'move'],
  ['Home End', 'ends'],
  ['x Space', 'select'],
  ['Shift ↓ ↑', 'extend'],
  ['Ctrl A', 'selectAll'],
  ['Enter', 'open'],
  ['Delete', 'remove'],
  ['Ctrl Z', 'undo'],
  ['?', 'help'],
] as const;

interface Props {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** The keys of the client. */
const ShortcutsDialog = ({ isOpen, onClose }: Props): ReactNode => {
  const t = useTranslate();
  return (
    <Dialog opened={isOpen} onClose={onClose} title={t('shortcuts.title')}>
      <Table>
        <Table.Tbody>
          {KEYS.map(([keys, meaning]) => (
            <Table.Tr key={meaning}>
              <Table.Th scope="row">
                {keys.split(' ').map((key) => (
                  <Kbd key={key} mr={4}>
                    {key}
                  </Kbd>
                ))}
              </Table.Th>
              <Table.Td>{t(`shortcuts.${meaning}`)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Dialog>
  );
};
export default ShortcutsDialog;
