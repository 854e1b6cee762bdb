import type { ChannelVendor } from '../../channels/contract.ts';

/** Return the vendor's own name, the same in every language. */
export const vendorName = (vendor: ChannelVendor): string => (vendor === 'chatpush' ? 'ChatPush' : 'Wazzup24');
