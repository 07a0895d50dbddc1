/* A PKCS#11 library before SoftHSM: slow, failing or hanging, as the file of CRYPTOKI_CONTROL says. It logs each call. */
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FUNCTIONS 68
/* Places in CK_FUNCTION_LIST, PKCS#11 v2.40, section 6. */
enum { INITIALIZE = 0, FINALIZE = 1, GET_SLOT_LIST = 4, GET_TOKEN_INFO = 6, OPEN_SESSION = 12, LOGIN = 18, LOGOUT = 19 };
enum { GET_ATTRIBUTE_VALUE = 24, SIGN_INIT = 42, SIGN = 43 };
enum { CKR_ATTRIBUTE_SENSITIVE = 0x11, CKR_DEVICE_ERROR = 0x30, CKA_EC_PARAMS = 0x180 };
/* The number of a slot that is none of SoftHSM's. */
enum { BROKEN_SLOT = 7 };

typedef unsigned long rv;
typedef unsigned long word;
struct attribute { word type; void *value; word length; };
struct list { unsigned char version[2]; void *functions[FUNCTIONS]; };

static struct list own;
static void **real;
static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER;
/* 1: dead until C_Logout. 2: until C_Finalize. */
static int dead = 0, deaths = 0;
static volatile int signing = 0;

struct control { int sign_ms, serial, hang, sensitive, broken, login, death, kind; };

/* The members of struct control. login 1: C_Login hangs; 2: it crashes. A new number of death begins one. */
static struct control control(void) {
  struct control c = {0};
  FILE *file = fopen(getenv("CRYPTOKI_CONTROL"), "r");
  if (file) {
    int *flags[] = {&c.sign_ms, &c.serial, &c.hang, &c.sensitive, &c.broken, &c.login, &c.death, &c.kind};
    for (int at = 0; at < 8; at++) if (fscanf(file, "%d", flags[at]) != 1) abort();
    fclose(file);
  }
  if (c.death > deaths) { deaths = c.death; dead = c.kind; }
  return c;
}

static void logged(const char *call) {
  char name[4096], line[128];
  snprintf(name, sizeof name, "%s.log", getenv("CRYPTOKI_CONTROL"));
  int file = open(name, O_WRONLY | O_APPEND | O_CREAT, 0600);
  int length = snprintf(line, sizeof line, "%s %d\n", call, signing);
  if (write(file, line, length) != length) abort();
  close(file);
}

static rv initialize(void *arguments) {
  logged("C_Initialize");
  return ((rv(*)(void *))real[INITIALIZE])(arguments);
}

static rv finalize(void *reserved) {
  logged("C_Finalize");
  dead = 0;
  return ((rv(*)(void *))real[FINALIZE])(reserved);
}

static rv get_slot_list(unsigned char present, word *slots, word *count) {
  word added = control().broken, room = *count;
  if (slots && added) {
    slots[0] = BROKEN_SLOT;
    *count = room - 1;
  }
  word *rest = slots ? slots + added : slots;
  rv result = ((rv(*)(unsigned char, word *, word *))real[GET_SLOT_LIST])(present, rest, count);
  *count += added;
  return result;
}

static rv get_token_info(word slot, void *info) {
  word slots[16] = {slot}, room = 16;
  if (slot == BROKEN_SLOT) ((rv(*)(unsigned char, word *, word *))real[GET_SLOT_LIST])(1, slots, &room);
  return ((rv(*)(word, void *))real[GET_TOKEN_INFO])(slots[0], info);
}

static rv get_attribute_value(word session, word object, struct attribute *attributes, word count) {
  if (control().sensitive && attributes[0].type == CKA_EC_PARAMS) return CKR_ATTRIBUTE_SENSITIVE;
  return ((rv(*)(word, word, struct attribute *, word))real[GET_ATTRIBUTE_VALUE])(session, object, attributes, count);
}

static rv open_session(word slot, word flags, void *a, void *b, word *session) {
  logged("C_OpenSession");
  control();
  if (dead || slot == BROKEN_SLOT) return CKR_DEVICE_ERROR;
  return ((rv(*)(word, word, void *, void *, word *))real[OPEN_SESSION])(slot, flags, a, b, session);
}

static rv login(word session, word user, void *pin, word length) {
  struct control c = control();
  logged("C_Login");
  if (c.login == 1) sleep(600);
  if (c.login == 2) _exit(1);
  return ((rv(*)(word, word, void *, word))real[LOGIN])(session, user, pin, length);
}

static rv logout(word session) {
  logged("C_Logout");
  if (dead == 1) dead = 0;
  return ((rv(*)(word))real[LOGOUT])(session);
}

static rv sign_init(word session, void *mechanism, word key) {
  control();
  if (dead) return CKR_DEVICE_ERROR;
  return ((rv(*)(word, void *, word))real[SIGN_INIT])(session, mechanism, key);
}

static rv sign(word session, void *data, word length, void *signature, word *size) {
  struct control c = control();
  logged("C_Sign");
  if (c.hang) sleep(600);
  if (dead) return CKR_DEVICE_ERROR;
  __sync_fetch_and_add(&signing, 1);
  if (c.serial) pthread_mutex_lock(&one);
  usleep(c.sign_ms * 1000);
  if (c.serial) pthread_mutex_unlock(&one);
  rv result = ((rv(*)(word, void *, word, void *, word *))real[SIGN])(session, data, length, signature, size);
  __sync_fetch_and_sub(&signing, 1);
  return result;
}

rv C_GetFunctionList(struct list **answer) {
  void *library = dlopen(getenv("CRYPTOKI_REAL"), RTLD_NOW | RTLD_LOCAL);
  struct list *given;
  if (!library) return CKR_DEVICE_ERROR;
  rv result = ((rv(*)(struct list **))dlsym(library, "C_GetFunctionList"))(&given);
  if (result) return result;
  real = given->functions;
  own = *given;
  own.functions[INITIALIZE] = initialize;
  own.functions[FINALIZE] = finalize;
  own.functions[GET_SLOT_LIST] = get_slot_list;
  own.functions[GET_TOKEN_INFO] = get_token_info;
  own.functions[GET_ATTRIBUTE_VALUE] = get_attribute_value;
  own.functions[OPEN_SESSION] = open_session;
  own.functions[LOGIN] = login;
  own.functions[LOGOUT] = logout;
  own.functions[SIGN_INIT] = sign_init;
  own.functions[SIGN] = sign;
  *answer = &own;
  return 0;
}
