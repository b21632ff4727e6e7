/**
 * The pages and mails in German.
 *
 * @module
 */

import type { PageLanguage } from "../language.ts";

/**
 * German, for `languages` of `pageTheme()`.
 *
 * @example
 * ```ts
 * import { pageTheme } from "@framework/auth";
 * import { german } from "@framework/auth/languages";
 * import { equal } from "node:assert/strict";
 *
 * pageTheme({ languages: [german], language: "de" });
 * equal(german.tag, "de");
 * ```
 */
export const german: PageLanguage = {
  tag: "de",
  texts: {
    "API key created": "API-Schlüssel erstellt",
    "API key replaced": "API-Schlüssel ersetzt",
    "API key revoked": "API-Schlüssel widerrufen",
    "API keys": "API-Schlüssel",
    "API keys do not count here. Sign in with a browser.":
      "API-Schlüssel gelten hier nicht. Melden Sie sich mit einem Browser an.",
    "Copy your API key": "API-Schlüssel kopieren",
    "Create an API key": "API-Schlüssel erstellen",
    "Create key": "Schlüssel erstellen",
    "Created by {name}": "Erstellt von {name}",
    "Ended": "Abgelaufen",
    "Ends": "Läuft ab",
    "Ends {date}": "Läuft am {date} ab",
    "Everything": "Alles",
    "For programs that use your data without you. You can revoke each one on its own.":
      "Für Programme, die Ihre Daten ohne Sie verwenden. Jeder Schlüssel lässt sich einzeln widerrufen.",
    "I have copied it": "Ich habe ihn kopiert",
    "In 30 days": "In 30 Tagen",
    "In 90 days": "In 90 Tagen",
    "In a year": "In einem Jahr",
    "It is shown only now. Whoever has it can use it, so keep it like a password.":
      "Er wird nur jetzt angezeigt. Wer ihn hat, kann ihn verwenden: Bewahren Sie ihn wie ein Passwort auf.",
    "Name of the key": "Name des Schlüssels",
    "Never": "Nie",
    "Never used": "Nie verwendet",
    "No API keys yet.": "Noch keine API-Schlüssel.",
    "Replace": "Ersetzen",
    "Revoke": "Widerrufen",
    "{inviter} invites you to join {team}.": "{inviter} lädt Sie ein, {team} beizutreten.",
    "{team} on {app}": "{team} bei {app}",
    "A suspended team keeps its owner. The people who run this site can make somebody else the owner.":
      "Ein gesperrtes Team behält seinen Inhaber. Die Betreiber dieser Website können jemand anderen zum Inhaber machen.",
    "A team keeps an owner. Make somebody else the owner first.":
      "Ein Team behält immer einen Inhaber. Machen Sie zuerst jemand anderen zum Inhaber.",
    "Confirm this address and join": "Adresse bestätigen und beitreten",
    "Confirm this address on your account page, then open the link once more.":
      "Bestätigen Sie diese Adresse auf Ihrer Kontoseite und öffnen Sie den Link dann noch einmal.",
    "Create account and join": "Konto erstellen und beitreten",
    "Create the team": "Team erstellen",
    "Don’t know this team? Close this page. Nothing happens until you press the button.":
      "Sie kennen dieses Team nicht? Schließen Sie diese Seite. Ohne den Knopf geschieht nichts.",
    "You get this email because {address} was invited. Don’t know this team? You can ignore it; nobody joins without the link.":
      "Sie erhalten diese E-Mail, weil {address} eingeladen wurde. Sie kennen dieses Team nicht? Dann lassen Sie sie liegen; ohne den Link tritt niemand bei.",
    "Give the team a name of 1 to 200 characters.":
      "Geben Sie dem Team einen Namen mit 1 bis 200 Zeichen.",
    "Go on to search the rest.": "Gehen Sie weiter, um den Rest zu durchsuchen.",
    "Invitations": "Einladungen",
    "Invite by email": "Per E-Mail einladen",
    "It works once, and not for ever. Ask for a new one.":
      "Sie gilt einmal und nicht für immer. Bitten Sie um eine neue.",
    "Join the team": "Dem Team beitreten",
    "Join {team}": "{team} beitreten",
    "Join {team}?": "{team} beitreten?",
    "Leave the team": "Team verlassen",
    "Leave {team}": "{team} verlassen",
    "Make the owner": "Zum Inhaber machen",
    "Members": "Mitglieder",
    "More": "Weitere",
    "Name of the new team": "Name des neuen Teams",
    "Nobody found": "Niemand gefunden",
    "You can come back only by a new invitation.":
      "Wieder beitreten können Sie nur mit einer neuen Einladung.",
    "Open": "Öffnen",
    "Remove from the team": "Aus dem Team entfernen",
    "Role": "Rolle",
    "Save role": "Rolle speichern",
    "Search": "Suchen",
    "Search by name or address": "Nach Name oder Adresse suchen",
    "See the invitation": "Einladung ansehen",
    "Send again": "Noch einmal senden",
    "Send the invitation": "Einladung senden",
    "Sign in as {address} to join.": "Melden Sie sich als {address} an, um beizutreten.",
    "Somebody without a name": "Jemand ohne Namen",
    "Switch": "Wechseln",
    "The invitation is on its way.": "Die Einladung ist unterwegs.",
    "The invitation is revoked.": "Die Einladung ist zurückgezogen.",
    "The link goes to the invited mailbox and nowhere else.":
      "Der Link geht an das eingeladene Postfach und sonst nirgendwohin.",
    "The team has a new owner.": "Das Team hat einen neuen Inhaber.",
    "Your team is ready.": "Ihr Team ist bereit.",
    "They are no longer a member.": "Die Mitgliedschaft ist beendet.",
    "They are not a member of this team.": "Diese Person ist kein Mitglied dieses Teams.",
    "This invitation no longer works": "Diese Einladung gilt nicht mehr",
    "You get an account for {address} and are signed in.":
      "Sie erhalten ein Konto für {address} und werden angemeldet.",
    "This team": "Dieses Team",
    "This team is suspended. Ask the people who run this site.":
      "Dieses Team ist gesperrt. Fragen Sie die Betreiber dieser Website.",
    "{name} is signed in as you": "{name} ist als Sie angemeldet",
    "You act for {name}": "Sie handeln für {name}",
    "End access": "Zugriff beenden",
    "No one from support is signed in as you.": "Niemand vom Support ist als Sie angemeldet.",
    "Access by our support": "Zugriff durch unseren Support",
    "To help you, our support can use the app as you. They can’t change how you sign in.":
      "Um Ihnen zu helfen, kann unser Support die Anwendung als Sie benutzen. Wie Sie sich anmelden, kann er nicht ändern.",
    "Sign in as this user": "Als diese Person anmelden",
    "This user has rights in a team that you don’t have, so you can’t sign in as them.":
      "Diese Person hat in einem Team Rechte, die Sie nicht haben. Als diese Person können Sie sich deshalb nicht anmelden.",
    "Only {name} can change this account.": "Nur {name} kann dieses Konto ändern.",
    "See the app as they do. You can’t change how they sign in, and they can see that you were there, and why.":
      "Sehen Sie die Anwendung wie diese Person. Wie sie sich anmeldet, können Sie nicht ändern, und sie sieht, dass Sie da waren und warum.",
    "Reason, such as a ticket number": "Grund, etwa die Nummer einer Anfrage",
    "Time": "Dauer",
    "You act for {name} until {date}. What you do is recorded.":
      "Sie handeln für {name} bis {date}. Was Sie tun, wird aufgezeichnet.",
    "Stop": "Beenden",
    "An administrator signed in as you": "Die Verwaltung hat sich als Sie angemeldet",
    "The administrator’s sign-in as you ended":
      "Die Anmeldung der Verwaltung als Sie wurde beendet",
    "Only the owner of the account can do this. Stop acting for them first.":
      "Das kann nur, wem das Konto gehört. Beenden Sie zuerst, für diese Person zu handeln.",
    "Give a reason of 1 to 200 characters": "Geben Sie einen Grund mit 1–200 Zeichen an",
    "Choose a time of one minute to one hour": "Wählen Sie eine Minute bis zu einer Stunde",
    "Keys that they made still work: {names}. {link}":
      "Schlüssel, die sie angelegt haben, gelten weiter: {names}. {link}",
    "Look at the keys": "Schlüssel ansehen",
    "Until {date}": "Bis {date}",
    "Yes, leave": "Ja, verlassen",
    "You": "Sie",
    "You’re not in a team yet.": "Sie sind noch in keinem Team.",
    "You are invited to join {team}.": "Sie sind eingeladen: {team}.",
    "You are not a member of this team.": "Sie sind kein Mitglied dieses Teams.",
    "You have left the team.": "Sie haben das Team verlassen.",
    "Your role there: {roles}.": "Ihre Rolle dort: {roles}.",
    "Your teams": "Ihre Teams",
    "You’re a member now.": "Sie sind jetzt Mitglied.",
    "You’re a member now. Add your name and a way to sign in on {account}.":
      "Sie sind jetzt Mitglied. Ihren Namen und einen Weg zur Anmeldung hinterlegen Sie auf {account}.",
    "your account page": "Ihrer Kontoseite",
    "You’re a member of {team}": "Sie sind Mitglied von {team}",
    "You’re signed in as {user}. This invitation is for {address}.":
      "Sie sind als {user} angemeldet. Diese Einladung ist für {address}.",
    "Support removed your two-step sign-in": "Support hat den zweiten Schritt entfernt",
    "The key before works until {date}": "Der Schlüssel davor gilt bis {date}",
    "Active": "Aktiv",
    "About": "Überblick",
    "All devices are signed out.": "Alle Geräte sind abgemeldet.",
    "All users": "Alle Personen",
    "Allows new sign-ins.": "Lässt neue Anmeldungen zu.",
    "Any role": "Jede Rolle",
    "Block": "Sperren",
    "Block or delete": "Sperren oder löschen",
    "Blocked": "Gesperrt",
    "Changed by an administrator": "Von der Verwaltung geändert",
    "Delete this account?": "Dieses Konto löschen?",
    "Ends its password, passkeys and connected accounts, then unblocks it. A link to its email address opens it.":
      "Beendet Passwort, Passkeys und verbundene Konten und entsperrt es dann. Ein Link an seine E-Mail-Adresse öffnet es.",
    "First page": "Erste Seite",
    "Give a stolen account back": "Gestohlenes Konto zurückgeben",
    "Give back": "Zurückgeben",
    "Help signing in": "Hilfe beim Anmelden",
    "Joined": "Dabei seit",
    "Name, email or ID": "Name, E-Mail oder ID",
    "Next page": "Nächste Seite",
    "No roles.": "Keine Rollen.",
    "Nobody on this page. Only the beginning of a name or an address is searched.":
      "Niemand auf dieser Seite. Gesucht wird nur nach dem Anfang von Namen und Adressen.",
    "Not signed in anywhere.": "Nirgends angemeldet.",
    "Pages": "Seiten",
    "Roles": "Rollen",
    "Sends a link by email.": "Schickt einen Link per E-Mail.",
    "Sends a link by email. The old password works until it is used.":
      "Schickt einen Link per E-Mail. Das alte Passwort gilt, bis er benutzt wird.",
    "Show everyone": "Alle anzeigen",
    "Sign out everywhere": "Überall abmelden",
    "Signs out everywhere and refuses new sign-ins. You can undo this.":
      "Meldet überall ab und lehnt neue Anmeldungen ab. Das lässt sich rückgängig machen.",
    "Status": "Status",
    "The account is blocked.": "Das Konto ist gesperrt.",
    "The account is deleted.": "Das Konto ist gelöscht.",
    "The account is unblocked.": "Das Konto ist entsperrt.",
    "The account is unblocked. Only a link by email opens it now.":
      "Das Konto ist entsperrt. Jetzt öffnet es nur ein Link per E-Mail.",
    "The link is on its way.": "Der Link ist unterwegs.",
    "This account has no address that a link could be sent to":
      "Dieses Konto hat keine Adresse, an die ein Link gehen könnte",
    "This account has rights that you don’t have, so you can’t change it.":
      "Dieses Konto hat Rechte, die Sie nicht haben. Sie können es deshalb nicht ändern.",
    "This cannot be undone: the account of {address} is deleted with its passkeys, connected accounts and memberships, and its sessions end.":
      "Das lässt sich nicht rückgängig machen: Das Konto von {address} wird mit seinen Passkeys, verbundenen Konten und Mitgliedschaften gelöscht, und seine Sitzungen enden.",
    "This is your own account. Another administrator can change it here.":
      "Das ist Ihr eigenes Konto. Hier kann es eine andere Person der Verwaltung ändern.",
    "To make changes, {signIn}.": "Um etwas zu ändern, {signIn}.",
    "Unblock": "Entsperren",
    "User ID": "ID",
    "Users": "Personen",
    "Ways to sign in": "Anmeldung mit",
    "You can give and take the roles whose rights you have yourself.":
      "Sie können die Rollen geben und nehmen, deren Rechte Sie selbst haben.",
    "This takes your password or a passkey: a link or code by email is not enough, nor is a password that is newer than your last code.":
      "Dafür brauchen Sie Ihr Passwort oder einen Passkey: Ein Link oder Code per E-Mail genügt nicht, auch kein Passwort, das neuer ist als Ihr letzter Code.",
    "There is no request that has taken effect.": "Es gibt keine Anfrage, die schon gilt.",
    "Sign-in without the second step asked for": "Anmeldung ohne zweiten Schritt angefragt",
    "Request to sign in without the second step cancelled":
      "Anfrage zur Anmeldung ohne zweiten Schritt abgebrochen",
    "Somebody asked to sign in without your second step":
      "Jemand will sich ohne Ihren zweiten Schritt anmelden",
    "The request to sign in without your second step was cancelled":
      "Die Anfrage zur Anmeldung ohne zweiten Schritt wurde abgebrochen",
    "From {date} on, whoever knows your password can sign in without it and remove it.":
      "Ab {date} kann sich, wer Ihr Passwort kennt, ohne ihn anmelden und ihn entfernen.",
    "Not you? Cancel it, then choose a new password: somebody knows yours.":
      "Waren Sie das nicht? Brechen Sie ab und wählen Sie dann ein neues Passwort: Jemand kennt Ihres.",
    "If you did not ask for it, somebody knows your password: choose a new one.":
      "Wenn die Anfrage nicht von Ihnen kam, kennt jemand Ihr Passwort: Wählen Sie ein neues.",
    "If you asked for it and somebody else cancelled it, sign out everywhere else, then change how you sign in.":
      "Wenn Sie angefragt haben und jemand anderes abgebrochen hat, melden Sie sich überall sonst ab, und ändern Sie dann, wie Sie sich anmelden.",
    "Signing in still takes your second step.": "Ihr zweiter Schritt bleibt zur Anmeldung nötig.",
    "Cancel the request": "Anfrage abbrechen",
    "The request is cancelled.": "Die Anfrage ist abgebrochen.",
    "Continue without the second step": "Ohne den zweiten Schritt weiter",
    "Continue without the second step?": "Ohne den zweiten Schritt weiter?",
    "Lost your second step?": "Zweiten Schritt verloren?",
    "Ask to sign in without the second step": "Anmeldung ohne den zweiten Schritt anfragen",
    "It takes effect after {time}. We tell you at once by email and wherever you are signed in; from there it can be cancelled.":
      "Die Anfrage gilt nicht sofort (Wartezeit: {time}). Wir melden sie Ihnen sofort per E-Mail und überall, wo Sie angemeldet sind; von dort lässt sie sich abbrechen.",
    "Send the request": "Anfrage senden",
    "We have your request": "Wir haben Ihre Anfrage",
    "Sign in again between {from} and {until}, then you can continue without the second step. A new password ends the request.":
      "Melden Sie sich zwischen {from} und {until} noch einmal an, dann können Sie ohne den zweiten Schritt weiter. Ein neues Passwort beendet die Anfrage.",
    "Your authenticator app, recovery codes and trusted browsers are removed, and your other sessions end. Then set up two-step sign-in again.":
      "Ihre Authentifizierungs-App, die Wiederherstellungscodes und vertrauten Browser werden entfernt, Ihre anderen Sitzungen enden. Richten Sie die Anmeldung in zwei Schritten danach neu ein.",
    "Remove and continue": "Entfernen und weiter",
    "The request was cancelled": "Die Anfrage wurde abgebrochen",
    "You can ask again from {date} on.": "Ab {date} können Sie noch einmal anfragen.",
    "Back to the second step": "Zurück zum zweiten Schritt",
    "Two-step sign-in has been changed meanwhile. Start again.":
      "Die Anmeldung in zwei Schritten wurde inzwischen geändert. Fangen Sie noch einmal an.",
    "Confirm the second step to continue": "Bestätigen Sie den zweiten Schritt",
    "A session of yours was copied": "Eine Ihrer Sitzungen wurde kopiert",
    "Bound to this device: a copy of its cookies soon opens nothing.":
      "An dieses Gerät gebunden: Eine Kopie ihrer Cookies öffnet bald nichts mehr.",
    "Checking this device": "Dieses Gerät wird geprüft",
    "Does this page stay? Then sign out here, and sign in again.":
      "Bleibt diese Seite stehen? Dann melden Sie sich hier ab und wieder an.",
    "It has ended. Sign in again.": "Sie ist beendet. Melden Sie sich wieder an.",
    "Look for malware on your device, then change how you sign in.":
      "Suchen Sie auf Ihrem Gerät nach Schadsoftware und ändern Sie dann, wie Sie sich anmelden.",
    "Not bound: this browser cannot bind sessions to its device, or has not done it.":
      "Nicht gebunden: Dieser Browser kann Sitzungen nicht an sein Gerät binden, oder hat es nicht getan.",
    "Somebody had its cookie and tried to use it without your device. The session has ended.":
      "Jemand hatte ihr Cookie und wollte es ohne Ihr Gerät benutzen. Die Sitzung ist beendet.",
    "This device": "Dieses Gerät",
    "This device is being checked. Send it again":
      "Dieses Gerät wird geprüft. Senden Sie es noch einmal.",
    "This needs a session that is bound to its device. Sign in with a browser that can do that":
      "Dafür muss die Sitzung an ihr Gerät gebunden sein. Melden Sie sich mit einem Browser an, der das kann.",
    "This session": "Diese Sitzung",
    "What will use it, such as “Nightly export”.":
      "Was ihn verwendet, zum Beispiel „Nächtlicher Export“.",
    "You are signed in on this device. This takes a moment.":
      "Sie sind auf diesem Gerät angemeldet. Das dauert einen Moment.",
    "You are signed out everywhere. Sign in, then turn it on again.":
      "Sie sind überall abgemeldet. Melden Sie sich an und schalten Sie sie wieder ein.",
    "You didn’t ask for it? Tell support at once, and change how you sign in: somebody may have pretended to be you.":
      "Sie haben nicht darum gebeten? Sagen Sie es sofort dem Support und ändern Sie, wie Sie sich anmelden: Vielleicht hat sich jemand als Sie ausgegeben.",
    "You get this email whenever that happens. It can’t be turned off.":
      "Diese E-Mail kommt immer, wenn das geschieht. Sie lässt sich nicht abstellen.",
    "Set up two-step sign-in to continue": "Anmeldung in zwei Schritten einrichten",
    "Enter your code": "Geben Sie Ihren Code ein",
    "Open your authenticator app and enter the six digits it shows.":
      "Öffnen Sie Ihre Authentifizierungs-App und geben Sie die sechs Ziffern ein, die sie anzeigt.",
    "That code is wrong, or it has been used before. Wait for the next one and try again.":
      "Dieser Code ist falsch oder wurde schon benutzt. Warten Sie auf den nächsten und versuchen Sie es noch einmal.",
    "That recovery code is wrong, or it has been used before.":
      "Dieser Wiederherstellungscode ist falsch oder wurde schon benutzt.",
    "There have been too many wrong codes today. Use a recovery code, or a passkey if you have one.":
      "Heute gab es zu viele falsche Codes. Benutzen Sie einen Wiederherstellungscode oder, wenn Sie einen haben, einen Passkey.",
    "Trust this browser for {time}": "Diesem Browser {time} lang vertrauen",
    "Not on a computer that other people use.":
      "Nicht auf einem Computer, den auch andere benutzen.",
    "Use a recovery code": "Wiederherstellungscode benutzen",
    "One of the codes you saved when you set up two-step sign-in. Each works once.":
      "Einer der Codes, die Sie beim Einrichten der Anmeldung in zwei Schritten gespeichert haben. Jeder gilt einmal.",
    "Recovery code": "Wiederherstellungscode",
    "Sixteen letters and digits. Capitals and dashes don’t matter.":
      "Sechzehn Buchstaben und Ziffern. Groß- und Kleinschreibung und Striche sind egal.",
    "Use your authenticator app": "Authentifizierungs-App benutzen",
    "Too many wrong codes ended this sign-in. Start again.":
      "Zu viele falsche Codes haben diese Anmeldung beendet. Fangen Sie noch einmal an.",
    "Unknown browser": "Unbekannter Browser",
    "This sign-in took too long. Start again.":
      "Diese Anmeldung hat zu lange gedauert. Fangen Sie noch einmal an.",
    "Set up two-step sign-in": "Anmeldung in zwei Schritten einrichten",
    "After this, signing in takes a code from your phone as well.":
      "Danach brauchen Sie zum Anmelden auch einen Code von Ihrem Telefon.",
    "Get an authenticator app.": "Holen Sie sich eine Authentifizierungs-App.",
    "Your phone or password manager may have one built in.":
      "Vielleicht hat Ihr Telefon oder Ihr Passwortmanager schon eine.",
    "Scan this with it.": "Scannen Sie dies damit.",
    "QR code for your authenticator app": "QR-Code für Ihre Authentifizierungs-App",
    "Is the app on this device? Open it, or enter this key in it.":
      "Ist die App auf diesem Gerät? Öffnen Sie sie, oder geben Sie dort diesen Schlüssel ein.",
    "Open in an authenticator app": "In der App öffnen",
    "Enter the six digits it shows": "Die sechs Ziffern der App eingeben",
    "Turn on": "Einschalten",
    "Not now": "Jetzt nicht",
    "Save your recovery codes": "Speichern Sie Ihre Wiederherstellungscodes",
    "If you lose your phone, one of these gets you in. Each works once. They are shown only now.":
      "Wenn Sie Ihr Telefon verlieren, kommen Sie mit einem davon hinein. Jeder gilt einmal. Sie werden nur jetzt gezeigt.",
    "Two-step sign-in is on.": "Die Anmeldung in zwei Schritten ist eingeschaltet.",
    "Two-step sign-in is off.": "Die Anmeldung in zwei Schritten ist ausgeschaltet.",
    "Copy": "Kopieren",
    "Copied": "Kopiert",
    "Recovery codes": "Wiederherstellungscodes",
    "Two-step sign-in": "Anmeldung in zwei Schritten",
    "Authenticator app": "Authentifizierungs-App",
    "On": "An",
    "Since {date}": "Seit {date}",
    "Not set up yet.": "Noch nicht eingerichtet.",
    "Set up": "Einrichten",
    "Manage": "Verwalten",
    "Turn off": "Ausschalten",
    "Yes, turn off": "Ja, ausschalten",
    "Signing in then takes one step. Your recovery codes and trusted browsers no longer count, and your other sessions end.":
      "Die Anmeldung hat dann nur einen Schritt. Ihre Wiederherstellungscodes und vertrauten Browser gelten nicht mehr, und Ihre anderen Sitzungen enden.",
    "Recovery codes left: {n}": "Übrige Wiederherstellungscodes: {n}",
    "Make new codes": "Neue Codes erstellen",
    "Yes, make new codes": "Ja, neue Codes erstellen",
    "The codes that you have no longer work then, and your other sessions end.":
      "Die Codes, die Sie haben, gelten dann nicht mehr, und Ihre anderen Sitzungen enden.",
    "Trusted until {date}": "Vertraut bis {date}",
    "Confirm your email address before you turn on two-step sign-in.":
      "Bestätigen Sie Ihre E-Mail-Adresse, bevor Sie die Anmeldung in zwei Schritten einschalten.",
    "Two-step sign-in is on": "Anmeldung in zwei Schritten eingeschaltet",
    "Two-step sign-in is off": "Anmeldung in zwei Schritten ausgeschaltet",
    "Your recovery codes have been replaced": "Ihre Wiederherstellungscodes wurden ersetzt",
    "A recovery code was used to sign in": "Ein Code zur Wiederherstellung wurde benutzt",
    "Too many wrong codes for your account": "Zu viele falsche Codes für Ihr Konto",
    "Somebody who got past the first step has typed too many wrong codes. For a day only recovery codes and passkeys are accepted.":
      "Jemand, der den ersten Schritt geschafft hat, hat zu viele falsche Codes eingegeben. Einen Tag lang gelten nur Wiederherstellungscodes und Passkeys.",
    "You get this email whenever two-step sign-in changes. It can’t be turned off.":
      "Sie bekommen diese E-Mail immer, wenn sich die Anmeldung in zwei Schritten ändert. Sie lässt sich nicht abstellen.",
    "Two-step sign-in turned on": "Anmeldung in zwei Schritten eingeschaltet",
    "Two-step sign-in turned off": "Anmeldung in zwei Schritten ausgeschaltet",
    "Recovery code used": "Wiederherstellungscode benutzt",
    "Second step closed for a day after too many wrong codes":
      "Zweiter Schritt nach zu vielen falschen Codes für einen Tag geschlossen",
    "A link works once, and not for long.": "Ein Link funktioniert einmal und nicht lange.",
    "A link works once, for {time}.": "Ein Link funktioniert einmal, {time} lang.",
    "A name has at most 256 characters, and no control characters.":
      "Ein Name hat höchstens 256 Zeichen und keine Steuerzeichen.",
    "A code was used a second time and refused":
      "Ein Code wurde ein zweites Mal verwendet und abgelehnt",
    "A passkey was refused because it may have been copied":
      "Ein Passkey wurde abgelehnt, weil er kopiert worden sein kann",
    "A profile picture URL begins with https:// and has at most 2,048 characters.":
      "Die Adresse eines Profilbilds beginnt mit https:// und hat höchstens 2.048 Zeichen.",
    "Account connected": "Konto verbunden",
    "Account created": "Konto erstellt",
    "Account created with {provider}": "Konto mit {provider} erstellt",
    "Account disconnected": "Konto getrennt",
    "Add a passkey": "Passkey hinzufügen",
    "Add an email address to your account before you set a password":
      "Geben Sie Ihrem Konto eine E-Mail-Adresse, bevor Sie ein Passwort setzen",
    "Added {date}": "Hinzugefügt am {date}",
    "Afterwards you set a new password, or sign in by email.":
      "Danach setzen Sie ein neues Passwort oder melden sich per E-Mail an.",
    "All sessions and memberships": "Alle Sitzungen und Mitgliedschaften",
    "Already have an account?": "Haben Sie schon ein Konto?",
    "An account with these details already exists.": "Ein Konto mit diesen Angaben gibt es schon.",
    "An account with this address already exists. Sign in the way you did before, then link this one.":
      "Ein Konto mit dieser Adresse gibt es schon. Melden Sie sich wie bisher an und verbinden Sie dann dieses.",
    "At least {n} characters. Three or four words in a row make a good one.":
      "Mindestens {n} Zeichen. Drei oder vier Wörter hintereinander sind gut.",
    "Back to sign in": "Zurück zur Anmeldung",
    "Both work once, for {time}. We will never ask you for this code on the phone or in a chat.":
      "Beide funktionieren einmal, {time} lang. Wir fragen Sie nie am Telefon oder im Chat nach diesem Code.",
    "Browser": "Browser",
    "Button doesn’t work? Copy this address into your browser: {address}":
      "Der Knopf geht nicht? Kopieren Sie diese Adresse in Ihren Browser: {address}",
    "By creating an account you agree to the {terms} and the {privacy}.":
      "Mit dem Konto stimmen Sie den {terms} und der {privacy} zu.",
    "By creating an account you agree to the {terms}.": "Mit dem Konto stimmen Sie den {terms} zu.",
    "Cancel": "Abbrechen",
    "Change": "Ändern",
    "Change email address": "E-Mail-Adresse ändern",
    "Change password": "Passwort ändern",
    "Change your email address?": "E-Mail-Adresse ändern?",
    "Changed {date}": "Geändert am {date}",
    "Check your devices": "Geräte prüfen",
    "Check your email": "Sehen Sie in Ihre E-Mails",
    "Choose a new password": "Neues Passwort wählen",
    "Confirm it’s you": "Bestätigen Sie, dass Sie es sind",
    "Confirm this address": "Diese Adresse bestätigen",
    "Confirm your email address": "Bestätigen Sie Ihre E-Mail-Adresse",
    "Confirm your email address?": "E-Mail-Adresse bestätigen?",
    "Confirm your new email address": "Bestätigen Sie Ihre neue E-Mail-Adresse",
    "Confirmed {date}": "Bestätigt am {date}",
    "Connect": "Verbinden",
    "Connected accounts": "Verbundene Konten",
    "Connected {date}": "Verbunden am {date}",
    "Connected {provider}": "{provider} verbunden",
    "Connected: {names}": "Verbunden: {names}",
    "Continue": "Weiter",
    "Continue with a passkey": "Weiter mit einem Passkey",
    "Continue with {provider}": "Weiter mit {provider}",
    "Create a passkey": "Passkey erstellen",
    "Create account": "Konto erstellen",
    "Create an account": "Konto erstellen",
    "Create an account with a passkey": "Konto mit einem Passkey erstellen",
    "Create your account": "Erstellen Sie Ihr Konto",
    "Create your account?": "Konto erstellen?",
    "Current password": "Jetziges Passwort",
    "Delete account": "Konto löschen",
    "Delete your account": "Ihr Konto löschen",
    "Delete your account?": "Ihr Konto löschen?",
    "Details for support": "Angaben für den Support",
    "Devices": "Geräte",
    "Didn’t ask for this? Close this page. Nothing happens until you press the button.":
      "Nicht danach gefragt? Schließen Sie die Seite. Nichts geschieht, bevor Sie den Knopf drücken.",
    "Didn’t ask? You can ignore this email; nobody gets in without it.":
      "Nicht danach gefragt? Dann tun Sie nichts; ohne diese E-Mail kommt niemand hinein.",
    "Didn’t ask? You can ignore this email; nothing changes without it.":
      "Nicht danach gefragt? Dann tun Sie nichts; ohne diese E-Mail ändert sich nichts.",
    "Didn’t ask? You can ignore this email; your password stays as it is.":
      "Nicht danach gefragt? Dann tun Sie nichts; Ihr Passwort bleibt, wie es ist.",
    "Didn’t create an account? You can ignore this email; nothing happens without the link.":
      "Sie haben kein Konto erstellt? Dann lassen Sie diese E-Mail liegen; ohne den Link geschieht nichts.",
    "Disconnect": "Trennen",
    "Disconnected {provider}": "{provider} getrennt",
    "Download": "Herunterladen",
    "Download your data": "Ihre Daten herunterladen",
    "Email": "E-Mail",
    "Email address": "E-Mail-Adresse",
    "Email address changed": "E-Mail-Adresse geändert",
    "Email address confirmed": "E-Mail-Adresse bestätigt",
    "Sign in by email instead": "Stattdessen per E-Mail anmelden",
    "Enter a whole email address, such as ada@example.com.":
      "Geben Sie eine ganze E-Mail-Adresse ein, etwa ada@example.com.",
    "Enter your email address. We’ll send you a link to choose a new one.":
      "Geben Sie Ihre E-Mail-Adresse ein. Wir senden Ihnen einen Link für ein neues Passwort.",
    "Enter your name.": "Geben Sie Ihren Namen ein.",
    "Enter your password": "Geben Sie Ihr Passwort ein",
    "Error": "Fehler",
    "Error:": "Fehler:",
    "Fill in every required field and try again.":
      "Füllen Sie alle Pflichtfelder aus und versuchen Sie es noch einmal.",
    "Forgot password?": "Passwort vergessen?",
    "Forgot your password?": "Passwort vergessen?",
    "Forgot your password? Choose a new one: {address}":
      "Passwort vergessen? Wählen Sie ein neues: {address}",
    "Go to the start page": "Zur Startseite",
    "Go to your account": "Zu Ihrem Konto",
    "Go to {app}": "Zu {app}",
    "Help": "Hilfe",
    "Hide": "Verbergen",
    "Hide password": "Passwort verbergen",
    "If the address can sign in here, we have sent a link to it.":
      "Wenn sich die Adresse hier anmelden kann, haben wir einen Link an sie gesendet.",
    "If {address} has an account, a link to choose a new password is on its way. It works for {time}.":
      "Wenn {address} ein Konto hat, ist ein Link für ein neues Passwort unterwegs. Er funktioniert {time} lang.",
    "It works once, for {time}.": "Er funktioniert einmal, {time} lang.",
    "Keep it": "Behalten",
    "Last seen {date}": "Zuletzt gesehen am {date}",
    "Last used": "Zuletzt benutzt",
    "Last used {date}": "Zuletzt benutzt am {date}",
    "More than one thing to put right": "Mehr als eines ist zu berichtigen",
    "Name": "Name",
    "Name of the new passkey": "Name des neuen Passkeys",
    "New email address": "Neue E-Mail-Adresse",
    "New here?": "Neu hier?",
    "New password": "Neues Passwort",
    "New sign-in to your account": "Neue Anmeldung in Ihrem Konto",
    "New to {app}?": "Neu bei {app}?",
    "No passkeys yet.": "Noch keine Passkeys.",
    "No password yet.": "Noch kein Passwort.",
    "No way to sign in has been set up yet.": "Es ist noch keine Anmeldung eingerichtet.",
    "Nobody has confirmed this address on its account yet. Whatever was set up there before, such as a password, ends when you sign in.":
      "Niemand hat diese Adresse in ihrem Konto bisher bestätigt. Was dort vorher eingerichtet wurde, etwa ein Passwort, endet, wenn Sie sich anmelden.",
    "Not confirmed": "Nicht bestätigt",
    "Not connected": "Nicht verbunden",
    "Not found": "Nicht gefunden",
    "Not you? Change how you sign in now.":
      "Sie waren es nicht? Ändern Sie jetzt, wie Sie sich anmelden.",
    "Not you? Choose a new password now.":
      "Sie waren es nicht? Wählen Sie jetzt ein neues Passwort.",
    "Not you? Sign it out, then change how you sign in.":
      "Sie waren es nicht? Melden Sie das Gerät ab und ändern Sie, wie Sie sich anmelden.",
    "Not you? Sign out everywhere else, then change how you sign in.":
      "Sie waren es nicht? Melden Sie sich überall sonst ab und ändern Sie, wie Sie sich anmelden.",
    "Nothing after a minute? Look in your spam folder, or {again}.":
      "Nach einer Minute nichts? Sehen Sie in den Spam-Ordner, oder {again}.",
    "On a shared computer? Close the browser window too.":
      "An einem gemeinsamen Computer? Schließen Sie auch das Browserfenster.",
    "On this page": "Auf dieser Seite",
    "One JSON file with everything we hold about you.":
      "Eine JSON-Datei mit allem, was wir über Sie gespeichert haben.",
    "One step to your account.": "Ein Schritt bis zu Ihrem Konto.",
    "One step to your {app} account.": "Ein Schritt bis zu Ihrem Konto bei {app}.",
    "Open the link in the browser in which you asked for it.":
      "Öffnen Sie den Link in dem Browser, in dem Sie ihn angefordert haben.",
    "Open {mailbox}": "{mailbox} öffnen",
    "Or enter this code:": "Oder geben Sie diesen Code ein:",
    "Or press the button in this email.": "Oder drücken Sie den Knopf in dieser E-Mail.",
    "Other browsers and phones have to use the new password.":
      "Andere Browser und Telefone müssen das neue Passwort verwenden.",
    "Other ways to sign in.": "Andere Wege, sich anzumelden.",
    "Passkey": "Passkey",
    "Passkey added": "Passkey hinzugefügt",
    "Passkey name": "Name des Passkeys",
    "Passkey removed": "Passkey entfernt",
    "Passkeys": "Passkeys",
    "Passkeys do not work at this address.": "Unter dieser Adresse funktionieren Passkeys nicht.",
    "Passkeys need a newer browser with JavaScript turned on.":
      "Passkeys brauchen einen neueren Browser mit JavaScript.",
    "Passkeys that still sign in to your account: {n}.":
      "Passkeys, mit denen die Anmeldung weiterhin möglich ist: {n}.",
    "Passkeys: {n}": "Passkeys: {n}",
    "Password": "Passwort",
    "Password changed": "Passwort geändert",
    "Press the button in the browser you started in:":
      "Drücken Sie den Knopf in dem Browser, in dem Sie begonnen haben:",
    "Open this link in the browser you started in:":
      "Öffnen Sie diesen Link in dem Browser, in dem Sie begonnen haben:",
    "Press the button to choose a new password:":
      "Drücken Sie den Knopf, um ein neues Passwort zu wählen:",
    "Open this link to choose a new password:":
      "Öffnen Sie diesen Link, um ein neues Passwort zu wählen:",
    "Press the button to confirm that this address is yours:":
      "Drücken Sie den Knopf, um zu bestätigen, dass diese Adresse Ihre ist:",
    "Open this link to confirm that this address is yours:":
      "Öffnen Sie diesen Link, um zu bestätigen, dass diese Adresse Ihnen gehört:",
    "Privacy": "Datenschutz",
    "Privacy Policy": "Datenschutzerklärung",
    "Profile": "Profil",
    "Profile picture URL": "Adresse des Profilbilds",
    "Shown in the application. This page loads nothing from other sites.":
      "Zu sehen in der Anwendung. Diese Seite lädt nichts von anderen Websites.",
    "Recent activity": "Letzte Ereignisse",
    "Reference": "Vorgang",
    "Remove": "Entfernen",
    "Remove those that you don’t know: {account}":
      "Entfernen Sie die, die Sie nicht kennen: {account}",
    "Rename": "Umbenennen",
    "Save": "Speichern",
    "Save and sign in": "Speichern und anmelden",
    "Send a confirmation": "Bestätigung senden",
    "Send a new link": "Neuen Link senden",
    "Send application/x-www-form-urlencoded or application/json":
      "Dieses Format der Anfrage wird nicht angenommen",
    "Send the link": "Link senden",
    "Sent again.": "Noch einmal gesendet.",
    "Sent again. Only the newest code works.": "Noch einmal gesendet. Nur der neueste Code gilt.",
    "Set a password": "Passwort festlegen",
    "Show": "Zeigen",
    "Show more": "Mehr zeigen",
    "Show password": "Passwort zeigen",
    "Sign in": "Anmelden",
    "Sign in again": "Wieder anmelden",
    "Sign in again to continue.": "Melden Sie sich noch einmal an, um fortzufahren.",
    "Sign in another way": "Anders anmelden",
    "Sign in first": "Melden Sie sich zuerst an",
    "Sign in to continue.": "Melden Sie sich an, um fortzufahren.",
    "Sign in to {app}": "Bei {app} anmelden",
    "Sign in to {app}?": "Bei {app} anmelden?",
    "Sign in with your fingerprint, face or screen lock. Keep two, so that a lost device doesn’t lock you out.":
      "Melden Sie sich mit Fingerabdruck, Gesicht oder Bildschirmsperre an. Behalten Sie zwei, damit ein verlorenes Gerät Sie nicht aussperrt.",
    "Sign in, or choose a new password.": "Melden Sie sich an, oder wählen Sie ein neues Passwort.",
    "Sign in?": "Anmelden?",
    "Sign out": "Abmelden",
    "Sign out everywhere else": "Überall sonst abmelden",
    "Sign out of {app}?": "Von {app} abmelden?",
    "Sign out?": "Abmelden?",
    "Sign-in didn’t finish": "Die Anmeldung ist nicht abgeschlossen",
    "Signed in": "Angemeldet",
    "Signed in with {provider}": "Mit {provider} angemeldet",
    "Account created by an invitation": "Konto durch eine Einladung angelegt",
    "Signed in by an invitation": "Durch eine Einladung angemeldet",
    "Signed in {date}": "Angemeldet am {date}",
    "Signed out": "Abgemeldet",
    "Signed out elsewhere": "Anderswo abgemeldet",
    "Signing in…": "Anmeldung läuft …",
    "Six-digit code": "Sechsstelliger Code",
    "Skip to content": "Zum Inhalt",
    "Somebody, probably you, wanted to create an account with this address. It has one:":
      "Jemand, wahrscheinlich Sie, wollte mit dieser Adresse ein Konto erstellen. Sie hat schon eines:",
    "Someone signed in as {address} in a browser we haven’t seen before.":
      "Jemand hat sich als {address} in einem Browser angemeldet, den wir nicht kennen.",
    "Something here that wasn’t you? {devices}, then change how you sign in.":
      "Etwas davon waren nicht Sie? {devices}, und ändern Sie dann, wie Sie sich anmelden.",
    "Something went wrong": "Etwas ist schiefgegangen",
    "Something went wrong on our side. Try again in a moment.":
      "Bei uns ist etwas schiefgegangen. Versuchen Sie es gleich noch einmal.",
    "Something went wrong.": "Etwas ist schiefgegangen.",
    "Something went wrong. Try again in a moment.":
      "Etwas ist schiefgegangen. Versuchen Sie es gleich noch einmal.",
    "Start page": "Startseite",
    "Stay signed in": "Angemeldet bleiben",
    "Terms": "Bedingungen",
    "That code doesn’t match. Only the newest one works.":
      "Der Code stimmt nicht. Nur der neueste gilt.",
    "That device is signed out.": "Das Gerät ist abgemeldet.",
    "That email or password is wrong.": "E-Mail oder Passwort ist falsch.",
    "That password is wrong.": "Dieses Passwort ist falsch.",
    "That took too long. Try again.": "Das hat zu lange gedauert. Versuchen Sie es noch einmal.",
    "That was cancelled, or took too long. Try again.":
      "Das wurde abgebrochen oder hat zu lange gedauert. Versuchen Sie es noch einmal.",
    "That’s {n} characters. Use at least {min}.":
      "Das sind {n} Zeichen. Nehmen Sie mindestens {min}.",
    "The account is connected.": "Das Konto ist verbunden.",
    "The account is disconnected.": "Das Konto ist getrennt.",
    "The email address of your account is {address}.":
      "Die E-Mail-Adresse Ihres Kontos ist {address}.",
    "The new email address of your account will be {address}.":
      "Die neue E-Mail-Adresse Ihres Kontos wird {address}.",
    "The other site could not sign you in. Try again in a moment.":
      "Die andere Website konnte Sie nicht anmelden. Versuchen Sie es gleich noch einmal.",
    "The passkey is added.": "Der Passkey ist hinzugefügt.",
    "A passkey was added to your account": "Ihrem Konto wurde ein Passkey hinzugefügt",
    "A passkey was removed from your account": "Aus Ihrem Konto wurde ein Passkey entfernt",
    "After a sign-in with your password, the password manager of that browser has made a passkey. It signs in to your account from now on.":
      "Nach einer Anmeldung mit Ihrem Passwort hat der Passwortmanager dieses Browsers einen Passkey erstellt. Damit kann man sich ab jetzt bei Ihrem Konto anmelden.",
    "It no longer signs in to your account. If it wasn’t you who signed in, somebody knows your password: choose a new one.":
      "Damit kann sich niemand mehr bei Ihrem Konto anmelden. Wenn nicht Sie sich angemeldet haben, kennt jemand Ihr Passwort: Wählen Sie ein neues.",
    "Not you? Remove the passkey, then choose a new password.":
      "Sie waren es nicht? Entfernen Sie den Passkey und wählen Sie dann ein neues Passwort.",
    "Passkeys added since you last chose a password. Sign in afterwards to remove those that you don’t know.":
      "Passkeys, die seit Ihrem letzten Passwort hinzugekommen sind. Melden Sie sich danach an, um die zu entfernen, die Sie nicht kennen.",
    "Passkeys added since you last chose a password. Tick those that you don’t know, and they are removed.":
      "Passkeys, die seit Ihrem letzten Passwort hinzugekommen sind. Kreuzen Sie die an, die Sie nicht kennen: Sie werden entfernt.",
    "Remove this passkey": "Diesen Passkey entfernen",
    "Remove this passkey?": "Diesen Passkey entfernen?",
    "The passkey has been removed already, or the link is older than a week.":
      "Der Passkey ist schon entfernt, oder der Link ist älter als eine Woche.",
    "Use a passkey next time": "Beim nächsten Mal einen Passkey benutzen",
    "You get this email whenever a passkey is added or removed. It can’t be turned off.":
      "Sie erhalten diese E-Mail, wenn ein Passkey hinzukommt oder entfernt wird. Sie lässt sich nicht abstellen.",
    "You get this email whenever a passkey is added by itself. It can’t be turned off.":
      "Sie erhalten diese E-Mail, wenn ein Passkey von selbst hinzukommt. Sie lässt sich nicht abstellen.",
    "Your fingerprint, face or screen lock takes the place of the password. It takes a moment.":
      "Fingerabdruck, Gesicht oder Bildschirmsperre ersetzen das Passwort. Es dauert nur einen Moment.",
    "{name}, added on {date}, will no longer sign in to your account.":
      "Mit {name}, hinzugefügt am {date}, kann sich dann niemand mehr bei Ihrem Konto anmelden.",
    "The passkey is removed.": "Der Passkey ist entfernt.",
    "The password": "Das Passwort",
    "The password you just chose": "Das eben gewählte Passwort",
    "The request is too large": "Die Anfrage ist zu groß",
    "The session does not fit into cookies": "Die Sitzung passt nicht in Cookies",
    "The sign-in was cancelled.": "Die Anmeldung wurde abgebrochen.",
    "There have been too many attempts to sign in to this account. Set a new password.":
      "Es gab zu viele Versuche, sich in diesem Konto anzumelden. Setzen Sie ein neues Passwort.",
    "There have been too many attempts to sign in to this account. Sign in by a link in an email, or set a new password.":
      "Es gab zu viele Versuche, sich in diesem Konto anzumelden. Melden Sie sich mit einem Link per E-Mail an, oder setzen Sie ein neues Passwort.",
    "There have been too many attempts to sign in to this account. Sign in by a link in an email.":
      "Es gab zu viele Versuche, sich in diesem Konto anzumelden. Melden Sie sich mit einem Link per E-Mail an.",
    "There have been too many attempts. Try again in a minute.":
      "Es gab zu viele Versuche. Versuchen Sie es in einer Minute noch einmal.",
    "There have been too many attempts. Try again in {minutes} minutes.":
      "Es gab zu viele Versuche. Versuchen Sie es in {minutes} Minuten noch einmal.",
    "There have been too many attempts. Try again later.":
      "Es gab zu viele Versuche. Versuchen Sie es später noch einmal.",
    "There is no email address yet.": "Es gibt noch keine E-Mail-Adresse.",
    "There is no recent activity.": "Es gibt keine Ereignisse.",
    "There is no such tenant": "Diese Organisation gibt es nicht",
    "There is nothing at this address": "Unter dieser Adresse ist nichts",
    "This account already belongs to another user.": "Dieses Konto gehört schon jemand anderem.",
    "This account cannot sign in.": "Dieses Konto kann sich nicht anmelden.",
    "This account does not exist": "Dieses Konto gibt es nicht",
    "This account was set up before anybody confirmed this address, perhaps not by you. What is on it ends when you go on:":
      "Dieses Konto wurde angelegt, bevor jemand diese Adresse bestätigt hat, vielleicht nicht von Ihnen. Was es enthält, endet, wenn Sie fortfahren:",
    "This address does not answer that method": "Diese Adresse beantwortet solche Anfragen nicht",
    "This address is confirmed. Now open the link that we sent to your other address.":
      "Diese Adresse ist bestätigt. Öffnen Sie jetzt den Link, den wir an Ihre andere Adresse gesendet haben.",
    "This browser": "Dieser Browser",
    "This cannot be undone.": "Das lässt sich nicht rückgängig machen.",
    "This cannot be undone: it deletes the account of {address} and signs you out everywhere. You lose with it:":
      "Das lässt sich nicht rückgängig machen: Das Konto von {address} wird gelöscht, und Sie werden überall abgemeldet. Damit verlieren Sie:",
    "Memberships of teams": "Mitgliedschaften in Teams",
    "Your account is deleted.": "Ihr Konto ist gelöscht.",
    "That was cancelled, took too long, or this device has no passkey that is known here. Try again.":
      "Das wurde abgebrochen, hat zu lange gedauert, oder dieses Gerät hat keinen Passkey, der hier bekannt ist. Versuchen Sie es noch einmal.",
    "This device cannot check that it is you. Set up a PIN, fingerprint or face on it, or use another one.":
      "Dieses Gerät kann nicht prüfen, dass Sie es sind. Richten Sie darauf eine PIN, einen Fingerabdruck oder die Gesichtserkennung ein, oder benutzen Sie ein anderes.",
    "This device cannot make a passkey that works here. Use another one.":
      "Dieses Gerät kann keinen Passkey erstellen, der hier gilt. Benutzen Sie ein anderes.",
    "We could not be reached. Check your connection and try again.":
      "Wir sind nicht zu erreichen. Prüfen Sie Ihre Verbindung und versuchen Sie es noch einmal.",
    "This device already has a passkey for this account.":
      "Dieses Gerät hat schon einen Passkey für dieses Konto.",
    "This did not work": "Das hat nicht funktioniert",
    "This is not a valid tenant": "Diese Organisation ist nicht gültig",
    "This is your only way to sign in. Add another one first.":
      "Das ist Ihr einziger Weg, sich anzumelden. Fügen Sie zuerst einen anderen hinzu.",
    "This link no longer works": "Dieser Link funktioniert nicht mehr",
    "This API key is wrong or has ended. Make a new one, and send it whole.":
      "Dieser API-Schlüssel ist falsch oder abgelaufen. Erstellen Sie einen neuen, und senden Sie ihn vollständig.",
    "This invitation no longer works. Ask for a new one.":
      "Diese Einladung gilt nicht mehr. Bitten Sie um eine neue.",
    "This link no longer works. Ask for a new one.":
      "Dieser Link funktioniert nicht mehr. Fordern Sie einen neuen an.",
    "This link was not requested in this browser. Go on only if you asked for it.":
      "Dieser Link wurde nicht in diesem Browser angefordert. Fahren Sie nur fort, wenn Sie ihn angefordert haben.",
    "This link was not requested in this browser. If you did not choose the password yourself, choose a new one.":
      "Dieser Link wurde nicht in diesem Browser angefordert. Haben Sie das Passwort nicht selbst gewählt, wählen Sie ein neues.",
    "This account has changed meanwhile": "Dieses Konto hat sich inzwischen geändert",
    "This name is already taken": "Dieser Name ist schon vergeben",
    "This passkey could not be added. Try again.":
      "Dieser Passkey konnte nicht hinzugefügt werden. Versuchen Sie es noch einmal.",
    "This passkey does not exist": "Diesen Passkey gibt es nicht",
    "This passkey does not work here. Try another one.":
      "Dieser Passkey funktioniert hier nicht. Versuchen Sie einen anderen.",
    "This password cannot be used": "Dieses Passwort kann nicht verwendet werden",
    "This password is on a list of leaked passwords. Choose another.":
      "Dieses Passwort steht auf einer Liste veröffentlichter Passwörter. Wählen Sie ein anderes.",
    "This password is too common. Choose another one.":
      "Dieses Passwort ist zu verbreitet. Wählen Sie ein anderes.",
    "This password is too common. Choose another.":
      "Dieses Passwort ist zu verbreitet. Wählen Sie ein anderes.",
    "This password is too long or contains invalid characters":
      "Dieses Passwort ist zu lang oder enthält ungültige Zeichen",
    "This password is too long or contains invalid characters.":
      "Dieses Passwort ist zu lang oder enthält ungültige Zeichen.",
    "This request came from another site and was refused.":
      "Diese Anfrage kam von einer anderen Website und wurde abgelehnt.",
    "This server does not answer for that host":
      "Dieser Server ist für diese Adresse nicht zuständig",
    "This session does not exist": "Diese Sitzung gibt es nicht",
    "This sign-in took too long or began elsewhere. Start again.":
      "Diese Anmeldung hat zu lange gedauert oder anderswo begonnen. Beginnen Sie neu.",
    "To change how you sign in, {signIn}.": "Um zu ändern, wie Sie sich anmelden, {signIn}.",
    "Too many tries": "Zu viele Versuche",
    "Try again": "Noch einmal versuchen",
    "Try again in a moment": "Versuchen Sie es gleich noch einmal",
    "Use a different address": "Andere Adresse verwenden",
    "Use another account": "Anderes Konto verwenden",
    "Use at least {n} characters": "Verwenden Sie mindestens {n} Zeichen",
    "Was it you? Then there is nothing to do.": "Waren Sie es? Dann ist nichts zu tun.",
    "Wasn’t you? Don’t confirm it, and change how you sign in: somebody is in your account.":
      "Sie waren es nicht? Bestätigen Sie nichts und ändern Sie, wie Sie sich anmelden: Jemand ist in Ihrem Konto.",
    "Wasn’t you? You can ignore this email; nothing has changed.":
      "Sie waren es nicht? Dann tun Sie nichts; es hat sich nichts geändert.",
    "Wasn’t you? {choose} to be sure.": "Sie waren es nicht? {choose}, um sicherzugehen.",
    "We are busy right now. Try again in a moment.":
      "Wir sind gerade ausgelastet. Versuchen Sie es gleich noch einmal.",
    "We cannot do this right now. Try again in a moment.":
      "Das geht gerade nicht. Versuchen Sie es gleich noch einmal.",
    "We could not send the email. Try again in a moment.":
      "Wir konnten die E-Mail nicht senden. Versuchen Sie es gleich noch einmal.",
    "We sent a code and a link to {address}. Enter the code here, or open the link in this browser.":
      "Wir haben einen Code und einen Link an {address} gesendet. Geben Sie den Code hier ein, oder öffnen Sie den Link in diesem Browser.",
    "We sent a link to both addresses. Open both to change your address.":
      "Wir haben einen Link an beide Adressen gesendet. Öffnen Sie beide, um Ihre Adresse zu ändern.",
    "We sent a link to {address}. Open it in this browser.":
      "Wir haben einen Link an {address} gesendet. Öffnen Sie ihn in diesem Browser.",
    "We sent you a link. Open it in this browser to confirm your address.":
      "Wir haben Ihnen einen Link gesendet. Öffnen Sie ihn in diesem Browser, um Ihre Adresse zu bestätigen.",
    "We’ll email you a link. No password needed.":
      "Wir senden Ihnen einen Link. Sie brauchen kein Passwort.",
    "What was on your account before no longer works, the old password too. Sign in by email, or set a new password.":
      "Was vorher in Ihrem Konto war, gilt nicht mehr, auch nicht das alte Passwort. Melden Sie sich per E-Mail an, oder setzen Sie ein neues Passwort.",
    "When": "Wann",
    "Where": "Wo",
    "Where you are signed in now.": "Wo Sie jetzt angemeldet sind.",
    "You are not allowed to do this.": "Das dürfen Sie nicht.",
    "You are not allowed to sign in.": "Sie dürfen sich nicht anmelden.",
    "You can try again in {time}, at {at}.":
      "Sie können es in {time} noch einmal versuchen, um {at}.",
    "You can try again in {time}.": "Sie können es in {time} noch einmal versuchen.",
    "You don’t have access to this": "Sie haben hierauf keinen Zugriff",
    "You get this email whenever your account is used in a new browser. It can’t be turned off.":
      "Sie erhalten diese E-Mail, wenn Ihr Konto in einem neuen Browser benutzt wird. Sie lässt sich nicht abstellen.",
    "You get this email whenever your password changes. It can’t be turned off.":
      "Sie erhalten diese E-Mail, wenn sich Ihr Passwort ändert. Sie lässt sich nicht abstellen.",
    "You have an account already": "Sie haben schon ein Konto",
    "You opened a link to create an account for {address}.":
      "Sie haben einen Link geöffnet, um für {address} ein Konto zu erstellen.",
    "You opened a sign-in link for {address}.":
      "Sie haben einen Anmeldelink für {address} geöffnet.",
    "Your account": "Ihr Konto",
    "Your address is changed.": "Ihre Adresse ist geändert.",
    "Your address is confirmed.": "Ihre Adresse ist bestätigt.",
    "Your changes are saved.": "Ihre Änderungen sind gespeichert.",
    "Your password is changed. You are signed out everywhere else.":
      "Ihr Passwort ist geändert. Überall sonst sind Sie abgemeldet.",
    "Your data": "Ihre Daten",
    "Your email address": "Ihre E-Mail-Adresse",
    "Your name": "Ihr Name",
    "Your password has changed": "Ihr Passwort hat sich geändert",
    "Your session ended. Sign in to go on.":
      "Ihre Sitzung ist beendet. Melden Sie sich an, um fortzufahren.",
    "You’re signed in as {address}.": "Sie sind als {address} angemeldet.",
    "You’re signed out": "Sie sind abgemeldet",
    "ask for another one": "fordern Sie einen anderen an",
    "or": "oder",
    "send it again": "senden Sie noch eine",
    "sign in again": "melden Sie sich noch einmal an",
    "{browser} on {system}": "{browser} unter {system}",
    "{code} is your code": "{code} ist Ihr Code",
    "You’re signed out everywhere. Sign in with the new password.":
      "Sie sind überall abgemeldet. Melden Sie sich mit dem neuen Passwort an.",
    "{code} is your {app} code": "{code} ist Ihr Code für {app}",
  },
};
