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
enum { INITIALIZE = 0, FINALIZE = 1, OPEN_SESSION = 12, LOGIN = 18, LOGOUT = 19, SIGN_INIT = 42, SIGN = 43 };
enum { CKR_DEVICE_ERROR = 0x30 };

typedef unsigned long rv;
typedef unsigned long word;
struct list { unsigned char version[2]; void *functions[FUNCTIONS]; };

static struct list own;
static void **real;
static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER;
/* 1: dead until C_Logout. 2: until C_Finalize. */
static int dead = 0, deaths = 0;
static volatile int signing = 0;

struct control { int sign_ms, serial, hang, login, death, kind; };

/* sign_ms serial hang login death kind. login 1: C_Login hangs; 2: it crashes. A new number of death begins one. */
static struct control control(void) {
  struct control c = {0, 0, 0, 0, 0, 0};
  FILE *file = fopen(getenv("CRYPTOKI_CONTROL"), "r");
  if (file) {
    if (fscanf(file, "%d %d %d %d %d %d", &c.sign_ms, &c.serial, &c.hang, &c.login, &c.death, &c.kind) != 6) abort();
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

static rv open_session(word slot, word flags, void *a, void *b, word *session) {
  logged("C_OpenSession");
  control();
  if (dead) return CKR_DEVICE_ERROR;
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
  own.functions[OPEN_SESSION] = open_session;
  own.functions[LOGIN] = login;
  own.functions[LOGOUT] = logout;
  own.functions[SIGN_INIT] = sign_init;
  own.functions[SIGN] = sign;
  *answer = &own;
  return 0;
}
