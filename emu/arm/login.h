/* The token service: what az and the SDKs ask before they ask anything else. No caller is refused
 * and no secret is checked. A token says which tenant it belongs to and how long it lasts on the
 * machine's calendar, because clients read both.
 *
 * Paths and bodies: Cloud Shell's managed identity protocol, and Active Directory Federation
 * Services as MSAL speaks to it (az 2.45 with an authority that ends in /adfs). */
#ifndef EMU_ARM_LOGIN_H
#define EMU_ARM_LOGIN_H

#include "emu/arm/arm.h"

extern const ArmRoute login_routes[];

#endif
