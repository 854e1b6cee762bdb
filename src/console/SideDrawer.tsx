/** A drawer at the side of a narrow screen, for the menu or the assistant. */
import { Drawer, type DrawerRootProps } from '@mantine/core';
import type { ReactNode } from 'react';

interface SideDrawerProps extends Pick<DrawerRootProps, 'opened' | 'onClose' | 'size' | 'position'> {
  name: string;
  children: ReactNode;
}

export default function SideDrawer({ name, children, ...root }: SideDrawerProps) {
  return (
    <Drawer.Root {...root}>
      <Drawer.Overlay backgroundOpacity={0.35} />
      <Drawer.Content aria-label={name}>
        <Drawer.Body p={0} h="100%">
          {children}
        </Drawer.Body>
      </Drawer.Content>
    </Drawer.Root>
  );
}
