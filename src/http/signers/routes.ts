// Mounts the operations on signers.
import type { ManagementContext } from '../../commands/management.ts'
import { type Mounting, mount } from '../request/mount.ts'
import { createSigner } from './create-signer.ts'
import { deleteSigner } from './delete-signer.ts'
import { probeSigner } from './probe-signer.ts'
import { getSigner, listSigners } from './read-signers.ts'
import { updateSigner } from './update-signer.ts'

export function signerRoutes(at: Mounting, management: ManagementContext): void {
  mount(at, 'POST', '/signers', createSigner(management))
  mount(at, 'GET', '/signers', listSigners(management))
  mount(at, 'GET', '/signers/:signer_id', getSigner(management))
  mount(at, 'POST', '/signers/:signer_id/probe', probeSigner(management))
  mount(at, 'PATCH', '/signers/:signer_id', updateSigner(management))
  mount(at, 'DELETE', '/signers/:signer_id', deleteSigner(management))
}
